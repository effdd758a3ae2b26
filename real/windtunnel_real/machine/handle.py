"""A handle on a process: it means that one for ever, whoever gets its number later.

A signal by number may hit a stranger; one by pidfd hits that process or none. The event loop
watches a pidfd as it watches a socket. Imports nothing of the project.
"""

from __future__ import annotations

import asyncio
import os
import select
import signal
from collections.abc import Callable
from contextlib import suppress


class ProcessHandle:
    """One process, alive or a zombie.

    Raises `ProcessLookupError` when there is none of that number. Whoever checks what the process
    is has to do so after the handle was made: then it is that one, or the handle's is gone.
    """

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._fd = os.pidfd_open(pid)
        self._loop: asyncio.AbstractEventLoop | None = None

    def signal(self, number: int) -> None:
        """Send it a signal; nothing happens when it has ended, or the handle is closed."""
        if self._fd >= 0:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._fd, number)  # type: ignore[attr-defined,unused-ignore]  # Linux

    def over(self, timeout: float = 0.0) -> bool:
        """Return whether it has ended, reaped or not; blocks for `timeout` seconds at most."""
        if self._fd < 0:
            return True
        poll = select.poll()
        poll.register(self._fd, select.POLLIN)
        return bool(poll.poll(timeout * 1000))

    def look(self, options: int) -> os.waitid_result | None:
        """Return what has become of a child of ours, without reaping it; None: nothing new.

        `options` are those of `waitid`. Raises `ChildProcessError` for what is no child.
        """
        return os.waitid(os.P_PIDFD, self._fd, options | os.WNOHANG | os.WNOWAIT)

    def on_end(self, callback: Callable[[], None]) -> None:
        """Call `callback` in the running loop once it has ended; at most one at a time."""
        self._loop = asyncio.get_running_loop()

        def ended() -> None:
            self.forget()
            callback()

        self._loop.add_reader(self._fd, ended)

    async def ended(self, deadline: float) -> bool:
        """Wait until it has ended, or the loop's clock says `deadline`; return whether it has."""
        over = asyncio.Event()
        self.on_end(over.set)
        try:
            async with asyncio.timeout_at(deadline):
                await over.wait()
        except TimeoutError:
            self.forget()
        return self.over()

    def forget(self) -> None:
        """Call nobody any more."""
        loop, self._loop = self._loop, None
        if loop is not None and not loop.is_closed():
            loop.remove_reader(self._fd)

    def close(self) -> None:
        """Let go of it; nothing happens the second time."""
        self.forget()
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)
