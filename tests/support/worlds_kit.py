"""Two worlds: one body played in either, and what could be seen of it, comparable.

What is seen has no times, no process numbers and no pixels: a window, a process and a picture are
told by the order in which they were first seen.
"""

from __future__ import annotations

import difflib
import json
import re
import sqlite3
from collections.abc import Awaitable, Callable, Coroutine, Hashable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from windtunnel.acting import Acting, acting
from windtunnel.canonical import check_event
from windtunnel.errors import BridgeError, FaultError
from windtunnel.ports import Desktop, Frame, Processes, Records, WindowInfo
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.playing.single_run import Run
from windtunnel.scenario.systems import load_system
from windtunnel.trace import Event
from windtunnel.wechat.database import Database
from windtunnel.wechat.screen import Screen
from windtunnel.world import Fault, Limits, World, WorldOptions, WorldSpec
from windtunnel_models.machine.part import DesktopPart
from windtunnel_models.world import SimWorld

WorldName = Literal["sim", "real"]
WORLDS: tuple[WorldName, ...] = ("sim", "real")
ANSWER_S = 20.0
"""How long a stand-in may take to tell how it is."""

AT_ONCE = {"wait_exit": 0}
"""The one time of the profile that tells the worlds apart: after it the simulation first looks."""
UNSEEN = frozenset({"clipboard"})
"""What of the screen belongs to the display: seen by what is pasted."""
MEASURED = re.compile(r"pid|.*_(ms|s|ms_sum)|retry_after")
"""Details of events that two runs of one world need not have alike: numbers given, times."""


class Order:
    """Numbers things in the order in which they are first seen."""

    def __init__(self) -> None:
        self._seen: dict[Hashable, int] = {}

    def of(self, thing: Hashable) -> int:
        return self._seen.setdefault(thing, len(self._seen))


@dataclass
class Stage:
    """A world that runs, for a body: its ports, and the list of what was seen of it."""

    name: WorldName
    world: World
    seen: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._windows, self._pids, self._pictures = Order(), Order(), Order()
        self._on: list[Fault] = []
        self._count = 0

    # ------------------------------------------------------------------ the ports

    @property
    def desktop(self) -> Desktop:
        return self.world.ports.desktop  # type: ignore[return-value] # it has one

    @property
    def processes(self) -> Processes:
        return self.world.ports.processes  # type: ignore[return-value] # as above

    @property
    def records(self) -> Records:
        return self.world.ports.records  # type: ignore[return-value] # as above

    async def see(self, what: str, call: Awaitable[Any]) -> Any:
        """Note what a call returns or raises, by code; return what it returned."""
        result = None
        try:
            result = await call
            told = self._boiled(result)
        except BridgeError as error:
            told = f"{error.code}: {error.message}"
        except FaultError as error:
            told = f"FaultError: {error}"
        self.seen.append((what, told))
        return result

    async def do(self, verb: str, *args: Any) -> Any:
        """Call the desktop's method `verb`, and note it."""
        said = ", ".join(map(repr, args))
        return await self.see(f"{verb}({said})", getattr(self.desktop, verb)(*args))

    async def inject(self, do: str, **args: Any) -> None:
        """Bring a fault about."""
        self._count += 1
        fault = Fault(f"{do}-{self._count}", do, args)

        async def on() -> None:
            await self.world.inject(fault)  # the simulation raises at the call
            self._on.append(fault)

        await self.see(f"inject {do} {args}", on())

    async def undo(self, do: str) -> None:
        """Take back the last one of a kind that is on; nothing happens if there is none."""
        fault = next((each for each in reversed(self._on) if each.do == do), None)

        async def off() -> None:
            if fault is not None:
                self._on.remove(fault)
                await self.world.undo(fault)

        await self.see(f"undo {do}", off())

    # ------------------------------------------------------------------ what is behind them

    async def look(self, what: str = "screen") -> Mapping[str, Any] | None:
        """Note the screen part by part, and all that the application has written down."""
        screen = await self.screen()
        self.seen.append((what, screen))
        self.seen.append(("written", self.written()))
        return screen

    async def screen(self) -> Mapping[str, Any] | None:
        """Return the screen part by part; None without a window."""
        return _sim_screen(self.world) if self.name == "sim" else await _real_screen(self.world)

    def written(self) -> Mapping[str, Any]:
        """Return the database part by part."""
        return _sim_written(self.world) if self.name == "sim" else _real_written(self.world)

    # ------------------------------------------------------------------ boiling

    def _boiled(self, result: Any) -> Any:
        match result:
            case WindowInfo():
                which = self._windows.of((result.pid, result.started_ns, result.id))
                whose = self._pids.of(result.pid)
                return f"window {which} of {whose}", result.title, result.mapped, result.focused
            case Frame():
                return "a frame"
            case list() | tuple():
                return [self._boiled(each) for each in result]
            case _:
                return ("bytes" if result else "no bytes") if type(result) is bytes else result

    def pid(self, number: int) -> str:
        """Return a process number as the order in which it was seen."""
        return f"process {self._pids.of(number)}"

    def picture(self, frame: Frame) -> int:
        """Return which of the pictures seen so far that is."""
        return self._pictures.of((frame.width, frame.height, frame.pixels))


Body = Callable[[Stage], Coroutine[Any, Any, None]]


@dataclass(frozen=True)
class Account:
    """What could be seen of a body in one world."""

    seen: list[Any]
    trace: list[tuple[Any, ...]]

    def kinds(self, *kinds: str) -> list[tuple[Any, ...]]:
        """Return the events of these kinds."""
        return [event for event in self.trace if event[0] in kinds]

    def by_operation(self) -> Account:
        """Return it with only the order that the events of each operation have."""
        whose = [  # a fault is first felt by whoever comes first
            (*event[:-1], {}) if event[0] == "fault.affected" else event for event in self.trace
        ]
        trace = sorted(whose, key=lambda event: str(event[1]))
        return Account(sorted(self.seen, key=str), trace)


def play_in(
    name: WorldName, body: Body, *, latencies: Mapping[str, Any] | None = None, **wechat: Any
) -> Account:
    """Play a body in a world; every event obeys the table of kinds, and what fails in it fails."""
    world = _world(
        name, {"wechat": {"autostart": None, **wechat}, "latencies": latencies or AT_ONCE}
    )
    stage = Stage(name, world)
    failed: list[BaseException] = []

    async def main() -> None:
        acting.set(Acting("op", "send_text"))
        try:
            await body(stage)
        except Exception as error:  # noqa: BLE001 - a world takes it for the end of the run
            failed.append(error)

    end = world.run(main)
    if failed:
        raise failed[0]
    assert end.reason == "finished", end
    for event in world.trace:
        check_event(event)
    return Account(stage.seen, boiled(world.trace))


def same(body: Body, *, ordered: bool = True, **how: Any) -> Account:
    """Play a body in both worlds, assert that nothing seen tells them apart, and return that.

    Without `ordered` the order is that of each operation only.
    """
    sim, real = (play_in(name, body, **how) for name in WORLDS)
    if not ordered:
        sim, real = (each.by_operation() for each in (sim, real))
    assert_same(sim, real)
    return sim


def assert_same(sim: Account, real: Account) -> None:
    """Assert that two accounts are one: line by line, so that a failure shows the first."""
    told = [*_difference(sim.seen, real.seen), *_difference(sim.trace, real.trace)]
    assert not told, "the worlds differ:\n" + "\n".join(told)


def _difference(sim: list[Any], real: list[Any]) -> Iterator[str]:
    sides = ([*map(str, sim)], [*map(str, real)])
    return difflib.unified_diff(*sides, "sim", "real", lineterm="", n=2)


def play_cell(name: WorldName, cell: Cell) -> Account:
    """Play a cell of a scenario in a world, to the end of its timeline; nobody judges it.

    Seen are the screen and what was written down at the end.
    """
    system = load_system(cell.system)
    world = _world(name, cell.given.model_dump(), cell.seed, cell.limits)
    run, stage = Run(cell, system, world), Stage(name, world)

    async def main() -> None:
        await run.play()
        await stage.look()

    end = world.run(main)
    assert end.reason == "finished", end
    assert run.failure is None, run.failure
    trace = boiled(world.trace)
    while trace[-1][0] == "fault.undone":
        trace.pop()  # the trace closes with the timeline: what takes time to undo is not in it
    return Account(stage.seen, trace)


def boiled(trace: Any) -> list[tuple[Any, ...]]:
    """Return a trace without its times and process numbers."""
    return [_boiled_event(event) for event in trace]


def _boiled_event(event: Event) -> tuple[Any, ...]:
    details = _not_measured(event.details)
    who = (event.op, event.actor, event.class_)
    return (event.kind, *who, event.resource, event.outcome, details)


def _not_measured(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    kept = (name for name in value if not MEASURED.fullmatch(name))
    return {name: _not_measured(value[name]) for name in kept}


def _world(
    name: WorldName, given: Mapping[str, Any], seed: int = 0, limits: Limits | None = None
) -> World:
    options = WorldOptions(frames="none")
    spec = WorldSpec(seed=seed, given=given, limits=limits or Limits(), options=options)
    if name == "sim":
        return SimWorld(spec)
    from windtunnel_real.world import RealWorld

    return RealWorld(spec)


# ---------------------------------------------------------------- behind the simulated ports


def _sim_machine(world: World) -> Any:
    assert isinstance(world, SimWorld)
    part = world.parts["desktop"]
    assert isinstance(part, DesktopPart)
    return part.machine


def _sim_screen(world: World) -> Mapping[str, Any] | None:
    machine = _sim_machine(world)
    if machine.wechat.window() is None:
        return None
    return {name: _part(getattr(machine.screen, name)) for name in PARTS}


def _sim_written(world: World) -> Mapping[str, Any]:
    database = _sim_machine(world).database
    found = {name: getattr(database, name) for name in sorted(Database.PARTS - {"messages"})}
    messages = [(each.id, each.contact, each.text, each.outgoing) for each in database.messages]
    return json.loads(json.dumps({**found, "messages": messages}))  # type: ignore[no-any-return]


# ---------------------------------------------------------------- behind the real ports


async def _real_screen(world: Any) -> Mapping[str, Any] | None:
    machine = world.machine
    if await machine.sight.window(ANSWER_S) is None:
        return None
    state = await machine.application.ask("state", ANSWER_S)
    return {name: _part(state[name]) for name in PARTS}


def _real_written(world: Any) -> Mapping[str, Any]:
    from windtunnel_real.standin.records import FILE, Records

    file = world.machine._files.data / FILE
    if not file.exists():  # nothing was written yet: it is what is given
        Records(file.parent, world._given.state).close()
    return _read(file)


def _read(file: Path) -> Mapping[str, Any]:
    with closing(sqlite3.connect(file, timeout=ANSWER_S)) as opened:
        parts = opened.execute("SELECT name, value FROM parts ORDER BY name")
        found = {name: json.loads(value) for name, value in parts}
        messages = opened.execute("SELECT id, contact, text, outgoing FROM messages ORDER BY id")
        return {**found, "messages": [[*row[:3], bool(row[3])] for row in messages]}


PARTS = sorted(Screen.PARTS - UNSEEN)


def _part(value: Any) -> Any:
    """Return a part of the screen so that its order shows: the last session is on top."""
    if isinstance(value, Mapping):
        return (
            list(value) if all(each is None for each in value.values()) and value else dict(value)
        )
    return value
