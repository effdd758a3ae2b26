"""The application on the real display: the stand-in's process, and the line to it.

One process at a time; each has a control connection of its own, made as soon as it listens.
Imports the stand-in's client and layout, and what it tells.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from windtunnel_real.errors import DeadlineError, StandinError
from windtunnel_real.machine.told import Told
from windtunnel_real.standin.layout import HEAD, place_of
from windtunnel_real.standin.oracle import Oracle

NOWHERE: Final = HEAD.center
"""A point that is no target, whatever the window shows."""
CONNECT_S: Final = 10.0
"""How long a started stand-in may take to listen."""


class Application:
    """The stand-in of one run."""

    def __init__(self, control: Path, told: Told) -> None:
        self._control = control
        self._told = told
        self.pid = 0
        """Of its process; 0 while there is none."""
        self._oracle: Oracle | None = None
        self._listens = asyncio.Event()
        self._following: set[asyncio.Task[None]] = set()
        self._owed: list[dict[str, Any]] = []

    def started(self, pid: int) -> None:
        """Note that a process runs, and connect to it."""
        self.pid = pid
        task = asyncio.get_running_loop().create_task(self._follow(pid))
        self._following.add(task)
        task.add_done_callback(self._following.discard)

    def ended(self) -> None:
        """Note that the process is over."""
        pid, self.pid = self.pid, 0
        self._listens.clear()
        self._oracle = None
        self._told.gone(pid)

    async def _follow(self, pid: int) -> None:
        try:
            oracle = await Oracle.connect(self._control, CONNECT_S)
        except (StandinError, DeadlineError):
            return  # whoever waits for it says so
        if self.pid != pid:
            await oracle.close()
            return
        oracle.listen(self._told.hear)
        self._told.meet(await oracle.ask("state", timeout=CONNECT_S))
        self._oracle = oracle
        self._listens.set()
        while self._owed:
            await oracle.ask(timeout=CONNECT_S, **self._owed.pop(0))

    async def ask(self, do: str, timeout: float = CONNECT_S, **fields: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON values
        """Ask it something over its control socket.

        Raises `DeadlineError` when it does not answer, `StandinError` when it is gone or refuses.
        """
        async with asyncio.timeout(timeout):
            await self._listens.wait()
            if self._oracle is None:
                raise StandinError("the stand-in does not run")
            answer: Mapping[str, Any] = await self._oracle.ask(do, timeout=timeout, **fields)
            return answer

    async def tell(self, do: str, **fields: Any) -> None:  # noqa: ANN401 - JSON values
        """Tell it something, now or as soon as it runs."""
        if self._listens.is_set():
            await self.ask(do, **fields)
        else:
            self._owed.append({"do": do, **fields})

    async def drain(self, timeout: float) -> None:
        """Wait until it has worked off what reached it; over at once when it is gone."""
        with contextlib.suppress(StandinError):
            if self.pid:
                await self.ask("drain", timeout)

    async def place(self, target: str, timeout: float) -> tuple[int, int]:
        """Return where in its window a target lies, whatever covers it."""
        if ":" in target:
            shown = await self.ask("reveal", timeout, target=target)
            return shown["x"], shown["y"]
        try:
            return place_of(target)
        except KeyError:
            return NOWHERE

    async def look(self, timeout: float = CONNECT_S) -> None:
        """Take note of how it is: what it does not tell of by itself."""
        self._told.meet(await self.ask("state", timeout))

    async def close(self) -> None:
        """Let the line go."""
        for task in tuple(self._following):
            task.cancel()
        if self._oracle is not None:
            await self._oracle.close()
