"""The loops that services are run in, and a small world of ports that writes down what is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import pytest

from windtunnel.acting import acting
from windtunnel.errors import BridgeError, Code
from windtunnel.ports import (
    Frame,
    LoginState,
    Message,
    Ports,
    ProcessSpec,
    Program,
    Region,
    WindowInfo,
)
from windtunnel.services.bridge.bridge import Bridge
from windtunnel.services.bridge.scheduler.send_queue import SendQueue
from windtunnel.services.bridge.scheduler.ui_scheduler import UIActionScheduler
from windtunnel.services.bridge.settings import BridgeSettings
from windtunnel_models import run as run_simulated

Run = Callable[[Coroutine[Any, Any, None]], None]


def _real(main: Coroutine[Any, Any, None]) -> None:
    asyncio.run(main, debug=True)


def _simulated(main: Coroutine[Any, Any, None]) -> None:
    run_simulated(main, debug=True)


@pytest.fixture
def run() -> Run:
    """Give the runner of a new simulated loop, in asyncio's debug mode."""
    return _simulated


@pytest.fixture(params=[_real, _simulated], ids=["asyncio", "sim"])
def run_on_both(request: pytest.FixtureRequest) -> Run:
    """Give, one after the other, the runner of an ordinary loop and of a simulated one."""
    runner: Run = request.param
    return runner


class FakeDesktop:
    """A display on which every command takes `seconds[its name]`, 0.1 s unless set.

    `log` holds (command, argument); `commands` (instant, operation, command); `overlaps` counts
    the commands that began while another ran.
    """

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.errors: dict[str, Exception] = {}
        self.log: list[tuple[str, Any]] = []
        self.commands: list[tuple[float, str, str]] = []
        self.overlaps = 0
        self.state: LoginState = "logged_in"
        self.shown: WindowInfo | None = WindowInfo(7, 100, 1, "WeChat", mapped=True, focused=True)
        self._busy = 0

    async def _command(self, port: str, argument: object) -> None:
        who = acting.get()
        name = (who.command if who is not None else "") or port
        self.log.append((name, argument))
        self.commands.append(
            (asyncio.get_running_loop().time(), "" if who is None else who.op, name)
        )
        self.overlaps += self._busy > 0
        self._busy += 1
        try:
            await asyncio.sleep(self.seconds.get(name, 0.1))
        finally:
            self._busy -= 1
        if (error := self.errors.get(name)) is not None:
            raise error
        if self.shown is None and port != "login_state":
            raise BridgeError(Code.WINDOW_NOT_FOUND, "no window")

    async def activate(self, window: str) -> None:
        await self._command("activate", window)

    async def click(self, target: str) -> None:
        await self._command("click", target)

    async def key(self, name: str, count: int = 1) -> None:
        await self._command("key", name)

    async def type_text(self, text: str) -> None:
        await self._command("type_text", text)

    async def paste_text(self, text: str) -> None:
        await self._command("paste_text", text)

    async def capture(self, region: Region | None = None) -> Frame:
        await self._command("capture", region)
        return Frame(1, 1, b"\0\0\0\0")

    async def login_state(self) -> LoginState:
        await self._command("login_state", None)
        return self.state if self.shown is not None else "unknown"

    async def window(self) -> WindowInfo | None:
        return self.shown

    async def wait_window(self, timeout: float) -> WindowInfo | None:
        who = acting.get()
        self.log.append(("wait_window", timeout))
        self.commands.append(
            (asyncio.get_running_loop().time(), "" if who is None else who.op, "wait_window")
        )
        await asyncio.sleep(self.seconds.get("wait_window", 0.1))
        return self.shown

    async def hold(self, seconds: float) -> None:
        self.seconds["hold"] = seconds
        await self._command("hold", seconds)

    @property
    def names(self) -> list[str]:
        """The names of the commands so far."""
        return [name for name, _ in self.log]


class FakeProgram:
    """A program that writes `picture` after `seconds`, or never; it knows whether it was reaped."""

    def __init__(self, seconds: float | None, status: int = 0) -> None:
        self.pid = 500
        self.killed = False
        self.reaped = False
        self.stubborn = False
        self._status = status
        self._over = asyncio.Event()
        if seconds is not None:
            asyncio.get_running_loop().call_later(seconds, self._over.set)

    async def output(self) -> bytes:
        await self._over.wait()
        return b"" if self.killed else b"picture"

    def kill(self) -> None:
        if not self._over.is_set():
            self.killed = True
            if not self.stubborn:
                self._over.set()

    async def wait(self) -> int:
        await self._over.wait()
        self.reaped = True
        return -9 if self.killed else self._status


class FakeProcesses:
    """A table of processes by name; `log` holds what was asked for."""

    def __init__(self, desktop: FakeDesktop) -> None:
        self.pids: dict[str, list[int]] = {"wechat": [100]}
        self.log: list[tuple[Any, ...]] = []
        self.programs: list[FakeProgram] = []
        self.capture_s: float | None = 0.2
        self.capture_status = 0
        self.immortal = False
        self.autostart_s: float | None = None
        self._desktop = desktop
        self._next = 200

    async def find(self, name: str) -> Sequence[int]:
        return list(self.pids.get(name, ()))

    def _end(self, pid: int) -> None:
        if self.immortal:
            return
        for name, pids in self.pids.items():
            if pid in pids:
                pids.remove(pid)
                if name == "wechat":
                    self._desktop.shown = None
                    if self.autostart_s is not None:
                        asyncio.get_running_loop().call_later(self.autostart_s, self._bring_back)

    def _bring_back(self) -> int:
        self._next += 1
        self.pids.setdefault("wechat", []).append(self._next)
        self._desktop.shown = WindowInfo(8, self._next, 2, "WeChat", mapped=True, focused=True)
        return self._next

    async def terminate(self, id: int) -> None:  # noqa: A002 - the port's published name
        self.log.append(("terminate", id))
        self._end(id)

    async def kill(self, id: int) -> None:  # noqa: A002 - the port's published name
        self.log.append(("kill", id))
        self._end(id)

    async def start(self, spec: ProcessSpec) -> int:
        self.log.append(("start", spec.name))
        return self._bring_back()

    async def wait_exit(self, id: int, timeout: float) -> bool:  # noqa: A002 - the port's
        self.log.append(("wait_exit", id, timeout))
        return not self.immortal

    async def run(self, spec: ProcessSpec) -> Program:
        who = acting.get()
        self.log.append(("run", spec.name, spec.resource))
        if who is not None:
            now = asyncio.get_running_loop().time()
            self._desktop.commands.append((now, who.op, who.command or "run"))
        self.programs.append(FakeProgram(self.capture_s, self.capture_status))
        return self.programs[-1]


class FakeRecords:
    """Friend requests and messages; `error` is raised instead while it is set."""

    def __init__(self) -> None:
        self.requests: list[str] = []
        self.written: list[Message] = []
        self.error: Exception | None = None
        self.reads = 0

    def write(self, contact: str, text: str = "", *, outgoing: bool = True) -> Message:
        number = self.written[-1].id + 1 if self.written else 1
        self.written.append(Message(number, contact, text, outgoing))
        return self.written[-1]

    async def friend_requests(self) -> Sequence[str]:
        self._read()
        return tuple(self.requests)

    async def messages(self, after: int) -> Sequence[Message]:
        self._read()
        return tuple(message for message in self.written if message.id > after)

    def _read(self) -> None:
        self.reads += 1
        if self.error is not None:
            raise self.error


class SmallWorld:
    """The three ports, the notes that services take, and bridges over them."""

    def __init__(self) -> None:
        self.desktop = FakeDesktop()
        self.processes = FakeProcesses(self.desktop)
        self.records = FakeRecords()
        self.notes: list[tuple[str, str, dict[str, Any]]] = []

    @property
    def ports(self) -> Ports:
        return Ports(self.desktop, self.processes, self.records)

    def note(self, kind: str, op: str, details: Any) -> None:
        self.notes.append((kind, op, dict(details)))

    @property
    def kinds(self) -> list[str]:
        """The kinds of the notes so far, the lock's aside."""
        return [kind for kind, _, _ in self.notes if kind != "lock.waited"]

    def finished(self, bridge: Bridge) -> list[str]:
        """Return a list that grows by the priority of each action that the queue has finished."""
        priorities: list[str] = []

        def hear(line: str, trace_id: str, fields: Any) -> None:
            if line == "action.finished":
                priorities.append(fields["priority"])

        bridge._scheduler.observe(hear)  # type: ignore[attr-defined] # ours both have it
        return priorities

    def bridge(
        self, wiring: Any = "after", *, delay_ms: float = 0, flows: Any = None, **settings: Any
    ) -> Bridge:
        """Return a bridge wired so, with the scheduler that belongs to it."""
        made = SendQueue if wiring == "before" else UIActionScheduler
        scheduler = made(send_delay_ms=delay_ms, max_calls_per_sec=1000, max_queue_size=1000)
        return Bridge(
            self.ports,
            scheduler,
            BridgeSettings(wiring=wiring, **settings),
            flows=flows,
            note=self.note,
        )


@pytest.fixture
def world() -> SmallWorld:
    """Give a new small world, with WeChat logged in."""
    return SmallWorld()


@pytest.fixture(scope="session")
def make_world() -> Callable[[], SmallWorld]:
    """Give what makes a small world: a property needs a new one for each example."""
    return SmallWorld
