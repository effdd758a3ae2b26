"""A small system to write scenarios for, and a reader of scenario texts."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from textwrap import dedent
from types import MappingProxyType, ModuleType
from typing import Any, Literal

import pytest
from pydantic import BaseModel, Field

from windtunnel import builtin
from windtunnel.errors import Problem, ScenarioError
from windtunnel.fields import Duration, OpRef
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.expanding.cell_setup import Overrides
from windtunnel.scenario.expanding.expansion import expand
from windtunnel.scenario.reading.loading import parse_scenario
from windtunnel.systems.base import NoArgs, Setup, Vocabulary
from windtunnel.units import SECOND

Expand = Callable[..., tuple[Cell, ...]]
Refusals = Callable[..., list[str]]


class Lanes(Vocabulary):
    """A nested part of `given`."""

    count: int = Field(default=1, ge=1)


class ToyGiven(Vocabulary):
    """The world of the toy."""

    speed: Duration = SECOND
    mode: Literal["slow", "fast"] = "slow"
    nap: Duration | None = None
    lanes: Lanes = Lanes()


class ToyOptions(Vocabulary):
    """Beside the timeline's own fields."""

    wait: Duration | None = None


class ToyPolicy(Vocabulary):
    """Options of the toy's policy."""

    limit: int = Field(default=10, ge=1)


class Job(Vocabulary):
    """A job's arguments."""

    name: str
    size: int = 1


class Stop(Vocabulary):
    """Which job is stopped."""

    of: OpRef


class Outage(Vocabulary):
    """Some lanes are closed."""

    lanes: tuple[int, ...] = Field(default=(0,), min_length=1)
    by: Duration = 0


class ToySystem:
    """Jobs of four commands, pings without any, three calls and two faults."""

    name: str = "toy"
    parts: tuple[str, ...] = ()
    given: type[BaseModel] = ToyGiven
    submit_options: type[BaseModel] = ToyOptions
    submits: Mapping[str, type[BaseModel]] = MappingProxyType({"job": Job, "ping": NoArgs})
    calls: Mapping[str, type[BaseModel]] = MappingProxyType(
        {"desk.job": Job, "desk.batch": NoArgs, "clock.stop": Stop}
    )
    batches: frozenset[str] = frozenset({"desk.batch"})
    faults: Mapping[str, type[BaseModel]] = MappingProxyType({"outage": Outage, "storm": NoArgs})
    policy_options: type[BaseModel] = ToyPolicy
    policies: Mapping[str, Mapping[str, Any]] = MappingProxyType(
        {"listed": {"limit": 5}, "specified": {}}
    )
    observables: frozenset[str] = frozenset({"done", "waiting", "by_class"})

    def args_optional(self, given: Any, name: str) -> bool:
        return given.nap is not None

    def commands(self, given: Any, name: str) -> tuple[str, ...]:
        works = name in ("job", "desk.job") and given.nap is None
        return ("open", "work", "work", "close") if works else ()

    def background(self, given: Any) -> frozenset[str]:
        return frozenset({"sweeper"} if given.mode == "fast" else ())

    def build(self, setup: Setup) -> Any:
        raise NotImplementedError


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> ToySystem:
    """Register the system `toy` beside the built-in ones."""
    module = ModuleType("toy_system_of_the_tests")
    module.ToySystem = ToySystem  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    systems = {**builtin.BUILTIN["systems"], "toy": f"{module.__name__}:ToySystem"}
    monkeypatch.setattr(builtin, "BUILTIN", {**builtin.BUILTIN, "systems": systems})
    return ToySystem()


def _cells(*texts: str, **options: Any) -> tuple[Cell, ...]:
    return expand(parse_scenario("".join(map(dedent, texts)), "x.yaml"), Overrides(**options))


@pytest.fixture
def cells(toy: ToySystem) -> Expand:
    """Expand the scenario of texts, each dedented, with the options of `expand`."""
    return _cells


@pytest.fixture
def problems(toy: ToySystem) -> Callable[..., tuple[Problem, ...]]:
    """Return the problems of a text that must not load."""

    def read(*texts: str, **options: Any) -> tuple[Problem, ...]:
        with pytest.raises(ScenarioError) as caught:
            _cells(*texts, **options)
        return caught.value.problems

    return read


@pytest.fixture
def refusals(problems: Callable[..., tuple[Problem, ...]]) -> Refusals:
    """Return the problems as `line:column message`."""

    def read(*texts: str, **options: Any) -> list[str]:
        return [f"{p.line}:{p.column} {p.message}" for p in problems(*texts, **options)]

    return read
