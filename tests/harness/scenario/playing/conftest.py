"""A bench to play cells on: a small system, a world whose faults do as they are told, builders."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType, ModuleType, SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

from windtunnel import builtin, units
from windtunnel.acting import Acting
from windtunnel.checks import CHECKS
from windtunnel.errors import FaultError
from windtunnel.event_names import parse_event_name
from windtunnel.scenario.cells import Cell, Entry, Expectation, FaultEntry, Held, Template
from windtunnel.systems.base import NoArgs, Operation, Setup, Vocabulary
from windtunnel.world import Fault, WorldSpec
from windtunnel_models.world import SimWorld

MakeCell = Callable[..., Cell]


class Job(Vocabulary):
    """What a job does, one command after the other, each as long as `tick`."""

    commands: tuple[str, ...] = ("open", "work", "close")
    tick: int = units.SECOND
    bound: int | None = None
    """The whole job is given up after so long."""
    fails: bool = False
    polls: int = 0
    """Yields so often at its start, within one instant."""


class Rules(Vocabulary):
    """No options."""


class BenchGiven(Vocabulary):
    """What stands on the bench."""

    background: int | None = None
    """A watcher looks so often, for ever."""


class Bench:
    """The system: jobs run as soon as they are submitted, side by side."""

    name: str = "bench"
    parts: tuple[str, ...] = ()
    given: type[BaseModel] = BenchGiven
    submit_options: type[BaseModel] = NoArgs
    submits: Mapping[str, type[BaseModel]] = MappingProxyType({"job": Job})
    calls: Mapping[str, type[BaseModel]] = MappingProxyType({"bell.ring": NoArgs})
    faults: Mapping[str, type[BaseModel]] = MappingProxyType({"slow": NoArgs})
    policy_options: type[BaseModel] = Rules
    policies: Mapping[str, Mapping[str, Any]] = MappingProxyType({"specified": {}})
    observables: frozenset[str] = frozenset({"done"})
    default_checks: Mapping[str, Mapping[str, Any]] = MappingProxyType({})

    def args_optional(self, given: Any, name: str) -> bool:
        return True

    def commands(self, given: Any, name: str) -> tuple[str, ...]:
        return Job().commands if name == "job" else ()

    def build(self, setup: Setup) -> Any:
        return BuiltBench(setup)


class BuiltBench:
    """The bench in a world."""

    def __init__(self, setup: Setup) -> None:
        self._world: Any = setup.world
        self._trace = setup.world.trace
        self._gate = setup.gate
        self._given = setup.given
        self._done = 0
        self._watcher: asyncio.Task[None] | None = None

    async def start(self) -> None:
        if self._given.background is not None:
            self._watcher = asyncio.create_task(self._watch(self._given.background))

    async def _watch(self, period: int) -> None:
        while True:  # noqa: ASYNC110 - a watcher that polls for ever
            await asyncio.sleep(units.to_seconds(period))

    async def stop(self) -> None:
        if self._watcher is not None:
            self._watcher.cancel()

    def submit(self, operation: Operation) -> Awaitable[None]:
        self._trace.record("action.submitted", operation.id, class_=operation.name)
        return asyncio.create_task(self._run(operation))

    async def _run(self, operation: Operation) -> None:
        bound = operation.args.bound
        outcome = "done"
        try:
            async with asyncio.timeout(None if bound is None else units.to_seconds(bound)):
                await self._work(operation)
        except (TimeoutError, ValueError):
            outcome = "failed"
        self._done += outcome == "done"
        for kind in ("action.settled", "caller.settled"):
            self._trace.record(kind, operation.id, class_=operation.name, outcome=outcome)

    async def _work(self, operation: Operation) -> None:
        job = operation.args
        for _ in range(job.polls):
            await asyncio.sleep(0)
        self._trace.record("action.started", operation.id, class_=operation.name)
        who = Acting(operation.id, operation.name, gate=self._gate)
        for name in job.commands:
            who.command = name
            if who.gate is not None:
                await who.gate(who)
            details = {"command": name, "step": who.next_step()}
            said = (operation.id, "", operation.name, "bench")
            self._trace.record("command.started", *said, details=details)
            await asyncio.sleep(units.to_seconds(job.tick + self._world.felt(operation.id)))
            self._trace.record("command.ended", *said, "done", details=details)
        if job.fails:
            raise ValueError("as it was asked to")

    def call(self, operation: Operation) -> Coroutine[Any, Any, None]:
        return self._ring(operation)

    async def _ring(self, operation: Operation) -> None:
        self._trace.record("call.started", operation.id, class_=operation.name)
        self._trace.record("call.ended", operation.id, class_=operation.name, outcome="done")

    def observe(self) -> Mapping[str, Any]:
        return {"done": self._done}


class ProbeWorld(SimWorld):
    """The simulated world, with faults of its own.

    `do`: `slow` makes commands longer by `by` ns; `idle` does nothing; `blink` has its effect at
    once. With `takes` it is on only after so many ns, with `leaves` gone so late; `refuses` and
    `stays` say which call fails.
    """

    name = "probe"
    made: list[ProbeWorld]

    def __init__(self, spec: WorldSpec) -> None:
        super().__init__(replace(spec, given=None))
        self.spec = spec
        self.on: dict[str, Fault] = {}
        self.undone: list[str] = []
        self.hit: set[str] = set()
        self.kept: list[tuple[str, bool]] = []
        ProbeWorld.made.append(self)

    def inject(self, fault: Fault) -> Awaitable[None]:  # type: ignore[override]
        if fault.args.get("refuses") == "at the call":
            raise FaultError("there is nothing to slow down")
        if "takes" not in fault.args and "refuses" not in fault.args:
            self._begin(fault)
            return _at_once()
        return self._inject(fault)

    async def _inject(self, fault: Fault) -> None:
        await asyncio.sleep(units.to_seconds(fault.args.get("takes", 0)))
        if "refuses" in fault.args:
            raise FaultError("it has no effect here")
        self._begin(fault)

    def _begin(self, fault: Fault) -> None:
        self.on[fault.id] = fault
        self.trace.record("fault.injected", fault.id, class_=fault.do)
        if fault.do == "blink":
            self.trace.record("fault.affected", fault.id, class_=fault.do)

    def undo(self, fault: Fault) -> Awaitable[None]:  # type: ignore[override]
        if self.on.pop(fault.id, None) is None:
            return _at_once()
        if fault.args.get("stays"):
            raise FaultError("it is still slow")
        if "leaves" in fault.args:
            return self._leave(fault)
        self.undone.append(fault.id)
        self.trace.record("fault.undone", fault.id, class_=fault.do)
        return _at_once()

    async def _leave(self, fault: Fault) -> None:
        await asyncio.sleep(units.to_seconds(fault.args["leaves"]))
        self.undone.append(fault.id)
        if fault.args.get("at last"):
            raise FaultError("it is still slow")

    def keep(self, name: str, *, failed: bool) -> str:
        self.kept.append((name, failed))
        return f"frames/{name}" if failed else ""

    def felt(self, op: str) -> int:
        """Return by how much a command is longer now."""
        slow = [fault for fault in self.on.values() if fault.do == "slow"]
        for fault in slow:
            if fault.id not in self.hit:
                self.hit.add(fault.id)
                self.trace.record("fault.affected", fault.id, class_="slow", details={"hit": op})
        return sum(fault.args.get("by", 0) for fault in slow)


def _at_once() -> asyncio.Future[None]:
    done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    done.set_result(None)
    return done


@pytest.fixture
def worlds() -> Iterator[list[ProbeWorld]]:
    """Give the list of the worlds that are made."""
    ProbeWorld.made = []
    yield ProbeWorld.made
    ProbeWorld.made = []


@pytest.fixture
def bench(
    monkeypatch: pytest.MonkeyPatch, make_cell: MakeCell, worlds: list[ProbeWorld]
) -> SimpleNamespace:
    """Register the bench and its world; give `cell(…)` and builders of what a cell is made of."""
    module = ModuleType("bench_of_the_tests")
    module.Bench = Bench  # type: ignore[attr-defined]
    module.ProbeWorld = ProbeWorld  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    tables = {
        **builtin.BUILTIN,
        "systems": {**builtin.BUILTIN["systems"], "bench": f"{module.__name__}:Bench"},
        "worlds": {**builtin.BUILTIN["worlds"], "probe": f"{module.__name__}:ProbeWorld"},
    }
    monkeypatch.setattr(builtin, "BUILTIN", tables)

    def cell(*timeline: Entry, **fields: Any) -> Cell:
        plain: dict[str, Any] = {
            "system": "bench",
            "world": "probe",
            "given": BenchGiven(background=fields.pop("background", None)),
            "policy_options": Rules(),
            "timeline": timeline,
            "expect": (),
        }
        return make_cell(**{**plain, **fields})

    builders = {f.__name__: f for f in (cell, job, ring, fault, held, expect)}
    return SimpleNamespace(ns=units.parse_duration, system=Bench, world=ProbeWorld, **builders)


def job(id_: str, at: str | None = None, **fields: Any) -> Entry:
    """Return an entry that submits a job; further fields are the entry's or the job's."""
    return _entry("submit", "job", id_, at, fields)


def ring(id_: str, at: str | None = None, **fields: Any) -> Entry:
    """Return an entry that rings the bell."""
    return _entry("call", "bell.ring", id_, at, fields)


def _entry(mode: Any, name: str, id_: str, at: str | None, fields: dict[str, Any]) -> Entry:
    own = {key: fields.pop(key) for key in ("repeat", "offsets", "line") if key in fields}
    times = {key: units.parse_duration(fields.pop(key, "0s")) for key in ("plus", "every")}
    after = fields.pop("after", None)
    args = Job(**fields) if name == "job" else NoArgs()
    repeat = own.get("repeat", 1)
    template = Template(mode, name, id_, "repeat" in own, lambda _: args, NoArgs())
    return Entry(
        line=own.get("line", 1),
        template=template,
        at=None if at is None else units.parse_duration(at),
        after=None if after is None else parse_event_name(after),
        repeat=repeat,
        offsets=own.get("offsets"),
        **times,
    )


def fault(id_: str, at: str | None = None, do: str = "slow", **fields: Any) -> FaultEntry:
    """Return a fault; `lasts` is its `for`, further fields are its args."""
    after, lasts = fields.pop("after", None), fields.pop("lasts", None)
    return FaultEntry(
        line=fields.pop("line", 20),
        fault=Fault(id_, do, fields.pop("args", fields)),
        at=None if at is None else units.parse_duration(at),
        after=None if after is None else parse_event_name(after),
        plus=units.parse_duration(fields.pop("plus", "0s")),
        lasts=None if lasts is None else units.parse_duration(lasts),
    )


def held(first: str, then: str, line: int = 30) -> Held:
    """Return a pair of `order`."""
    return Held(line, parse_event_name(first), parse_event_name(then))


def expect(check: str, line: int = 40, **args: Any) -> Expectation:
    """Return an expectation; `fails` and `severity` are its own, the rest are the check's."""
    own = {key: args.pop(key) for key in ("fails", "severity", "because") if key in args}
    return Expectation(check, CHECKS[check].args.model_validate(args), line, **own)
