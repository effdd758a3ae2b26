"""The application on the real display: the stand-in's process, and the line to it.

One process at a time; each has a control connection of its own, made as soon as it listens.
Imports the stand-in's client and layout, and what it tells.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from windtunnel.ports import LoginState
from windtunnel.wechat.database import Database
from windtunnel_real.errors import DeadlineError, StandinError
from windtunnel_real.machine.standin_command import StandinFiles
from windtunnel_real.machine.told import NAME, Told
from windtunnel_real.standin.layout import HEAD, place_of
from windtunnel_real.standin.oracle import Oracle
from windtunnel_real.standin.records import Records

NOWHERE: Final = HEAD.center
"""A point that is no target, whatever the window shows."""
ROWS_OF: Final = frozenset({"session", "contact"})
"""What has a row of somebody's, named `session:bob`."""
CONNECT_S: Final = 10.0
"""How long a started stand-in may take to listen."""


class Application:
    """The stand-in of one run."""

    def __init__(self, files: StandinFiles, account: LoginState, told: Told) -> None:
        self._files = files
        self._told = told
        told.account = account
        self.pid = 0
        """Of its process; 0 while there is none."""
        self._oracle: Oracle | None = None
        self._listens = asyncio.Event()
        self._following: set[asyncio.Task[None]] = set()

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
            oracle = await Oracle.connect(self._files.control, CONNECT_S)
        except (StandinError, DeadlineError):
            return  # whoever waits for it says so
        if self.pid != pid:
            await oracle.close()
            return
        oracle.listen(self._told.hear)
        try:
            state = await oracle.ask("state", timeout=CONNECT_S)
        except (StandinError, DeadlineError):
            await oracle.close()
            return  # as above
        if self.pid == pid:
            self._told.meet(state)
            self._oracle = oracle
            self._listens.set()

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

    async def befriend(self, who: str) -> None:
        """Let somebody ask to be a friend: the account gets that whether it runs or not."""
        if self.pid:
            await self.ask("request", CONNECT_S, **{"from": who})
            return
        with self._written() as database:
            if who in database.requests:
                return
            database.requests = (*database.requests, who)
        self._told.hear({"kind": "friend.requested", "resource": who})

    async def log_in_or_out(self, state: LoginState, timeout: float = CONNECT_S) -> None:
        """Change the account's state, as from the phone: whether it runs or not."""
        if self.pid:
            await self.ask("login", timeout, state=state)
            return
        with self._written() as database:
            database.account = state
        self._told.hear({"kind": "wechat.login", "resource": NAME, "details": {"state": state}})

    @property
    def popup(self) -> bool:
        """Whether another program's window lies over its place."""
        return self._files.popup.exists()

    async def open_popup(self, timeout: float = CONNECT_S) -> None:
        """Let another program's window come up; without a process, with the next one."""
        if self.pid:
            await self.ask("popup", timeout)
        else:
            self._files.popup.touch()

    async def close_popup(self, timeout: float = CONNECT_S) -> None:
        """Close that window."""
        if self.pid:
            await self.ask("close_popup", timeout)
        else:
            self._files.popup.unlink(missing_ok=True)

    @contextlib.contextmanager
    def _written(self) -> Iterator[Database]:
        """Give what it has written down to be changed, while it does not run."""
        records = Records(self._files.data, cast("LoginState", self._told.account))
        try:
            yield records.database
            records.save()
        finally:
            records.close()

    async def drain(self, timeout: float) -> None:
        """Wait until it has worked off what reached it; over at once when it is gone."""
        with contextlib.suppress(StandinError):
            if self.pid:
                await self.ask("drain", timeout)

    async def place(self, target: str, timeout: float) -> tuple[int, int]:
        """Return where in its window a target lies, whatever covers it."""
        name, _, whose = target.partition(":")
        if whose and name in ROWS_OF:
            shown = await self.ask("reveal", timeout, target=target)
            return shown["x"], shown["y"]
        try:
            return place_of(name)
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
