"""The machine: the simulated display, WeChat and the processes, wired to one another.

Imports the models; the world makes one per run and gives its ports away.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from functools import partial
from typing import Any

from windtunnel import streams
from windtunnel.machine.ambushes import Ambushes
from windtunnel.machine.commands import Commands
from windtunnel.machine.given import Given
from windtunnel.machine.latencies import Latencies
from windtunnel.ports import Ports
from windtunnel.trace import Trace
from windtunnel.wechat.database import Database
from windtunnel.wechat.screen import Screen
from windtunnel.wechat.surface import Surface
from windtunnel_models.access import AccessLog
from windtunnel_models.loop.environment import SimEnvironment
from windtunnel_models.loop.pauses import pause
from windtunnel_models.machine.autostart import Autostart
from windtunnel_models.machine.desktop import SimDesktop
from windtunnel_models.machine.process_table import Process, ProcessTable
from windtunnel_models.machine.processes import SimProcesses
from windtunnel_models.machine.records import SimRecords
from windtunnel_models.profile import Profile
from windtunnel_models.wechat.application import NAME, WeChat


class Machine:
    """One desktop machine. Its random draws come from streams `latency` and `autostart`."""

    def __init__(
        self,
        env: SimEnvironment,
        trace: Trace,
        log: AccessLog,
        given: Given,
        profile: Profile,
        seed: int = 0,
    ) -> None:
        self._env = env
        self.trace = trace
        self.log = log
        self.ambushes = Ambushes()
        self.screen = Screen(log)
        self.database = Database(log, given.state)
        log.watch(self.screen)
        log.watch(self.database)
        self.surface = Surface(self.screen, self.database, trace)
        self.wechat = WeChat(env, self.surface, given.start_up, restores_login=given.restores_login)
        self.table = ProcessTable(log, trace, on_start=self._started, on_end=self._ended)
        latency = streams.stream(seed, "latency")
        latencies = Latencies(given.latencies, profile.latencies, latency)
        commands = Commands(trace, latencies, self.ambushes, partial(pause, env.loop))
        self.processes = SimProcesses(env, commands, self.table, self.wechat)
        self.desktop = SimDesktop(commands, self.wechat, given.missing_window, log)
        self.autostart: Autostart | None = None
        if given.autostart is not None:
            stream = streams.stream(seed, "autostart")
            self.autostart = Autostart(
                env, given.autostart, given.start_up, stream, self._autostart
            )
        self._be_as_given(given)

    @property
    def ports(self) -> Ports:
        """The ports of this machine."""
        return Ports(self.desktop, self.processes, SimRecords(self.database))

    def _be_as_given(self, given: Given) -> None:
        if given.running:
            self.wechat.run_from_the_start(self.table.add(NAME).pid)
            if given.state == "logged_in" and given.session is not None:
                self.screen.open_session(given.session)
                self.screen.leave_boxes()
        for _, who in (each for each in given.friend_requests if not each[0]):
            self.request(who)
        if later := [each for each in given.friend_requests if each[0]]:
            self._env.process(self._requests_come(later))

    def _requests_come(self, requests: Iterable[tuple[int, str]]) -> Generator[Any, Any, None]:
        for at, who in requests:
            yield self._env.timeout(at - self._env.now)
            self.request(who)

    def request(self, who: str) -> None:
        """Let somebody ask to be a friend."""
        if who not in self.database.requests:
            self.database.requests = (*self.database.requests, who)
            self.trace.record("friend.requested", resource=who)

    def _autostart(self) -> None:
        self.processes.launch(NAME)

    def _started(self, process: Process) -> None:
        if process.name == NAME:
            self.wechat.launched(process.pid)
            if self.autostart is not None:
                self.autostart.started()

    def _ended(self, process: Process) -> None:
        if process.name == NAME:
            self.wechat.ended()
            if self.autostart is not None:
                self.autostart.ended()
