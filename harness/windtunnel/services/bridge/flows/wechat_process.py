"""WeChat's process: the restart and the autofix, whose flows decide as they go.

Imports ports, who acts, and the backend.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final

from windtunnel.acting import acting
from windtunnel.errors import BridgeError, Code
from windtunnel.ports import Processes, ProcessSpec
from windtunnel.services.bridge.flows.backend import Backend
from windtunnel.services.bridge.flows.flow_runner import enter_command

EXIT_S: Final = 5.0
"""How long a killed process may take to end."""
WINDOW_S: Final = 10.0
"""How long a started WeChat may take to show its window."""
AUTOSTART_S: Final = 2.0
"""How long the autofix gives the autostart before it looks."""


class WeChatProcess:
    """Kills WeChat and brings it back. `killed()` is called after each kill."""

    def __init__(
        self,
        processes: Processes,
        backend: Backend,
        killed: Callable[[], None],
        name: str = "wechat",
    ) -> None:
        self._processes = processes
        self._backend = backend
        self._killed = killed
        self._spec = ProcessSpec(name, (name,))

    async def restart(self) -> int:
        """Kill WeChat, wait for its end, start it, wait for its window; return the new pid.

        Raises TIMEOUT when it does not end, WINDOW_NOT_FOUND when no window comes.
        """
        pids = await self._kill()
        for pid in pids:
            if not await self._command("wait_exit", self._processes.wait_exit, pid, EXIT_S):
                raise BridgeError(Code.TIMEOUT, f"WeChat ({pid}) did not end in {EXIT_S:g} s")
        return await self._start()

    async def autofix(self) -> int:
        """Kill WeChat, give the autostart 2 s, start it if it is not there; return its pid.

        Raises WINDOW_NOT_FOUND when it was started here and shows no window.
        """
        await self._kill()
        await asyncio.sleep(AUTOSTART_S)
        pids = await self._command("find", self._processes.find, self._spec.name)
        return int(pids[0]) if pids else await self._start()

    async def _kill(self) -> list[int]:
        # Whom to kill is asked under the port's own name: the flow's first command is the kill.
        pids = list(await self._command("", self._processes.find, self._spec.name))
        try:
            for pid in pids:
                await self._command("kill", self._processes.kill, pid)
        finally:
            if pids:  # a command that fails may have sent its signal all the same
                self._killed()
        return pids

    async def _start(self) -> int:
        pid: int = await self._command("start", self._processes.start, self._spec)
        window = await self._command("wait_window", self._backend.wait_window, WINDOW_S)
        if window is None:
            raise BridgeError(Code.WINDOW_NOT_FOUND, f"no window after {WINDOW_S:g} s")
        return pid

    async def _command(self, name: str, call: Callable[..., Awaitable[Any]], *args: Any) -> Any:  # noqa: ANN401 - whatever the port returns
        await enter_command(acting.get(), name)
        return await call(*args)
