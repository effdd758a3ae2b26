"""A cell: one fully resolved run, with every reference replaced and every value typed.

Expansion makes cells from a scenario; the runner plays them. Imports the format's models, the
checks' and the systems' contracts; nothing here reads files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from windtunnel.checks.base import CheckArgs
from windtunnel.event_names import EventName
from windtunnel.scenario.reading.models import DeclaredFailure, Severity, Status
from windtunnel.scenario.source.yaml_scalars import Scalar, written
from windtunnel.systems.base import Operation
from windtunnel.world import Fault, Limits, Ties

_FIFO: Final = Ties()
Stat = Literal["min", "max", "mean", "sum", "count", "p50", "p90", "p95", "p99"]


@dataclass(frozen=True, slots=True)
class Expectation:
    """One line of `expect` that applies to this cell."""

    check: str
    args: CheckArgs
    line: int
    because: str = ""
    severity: Severity = "error"
    fails: DeclaredFailure | None = None


@dataclass(frozen=True, slots=True)
class Template:
    """What an entry submits or calls, before `$i` is put in.

    `make(i)` returns the operation number i; it raises `ScenarioError` only for values that the
    check of the file, which makes the first and the last, could not see.
    """

    mode: Literal["submit", "call"]
    name: str
    """The class submitted or the service called."""
    id: str
    repeated: bool
    """Whether operations are numbered: `id.N` instead of `id`."""
    make_args: Callable[[int], Any]
    """Number of the operation → its `args`: an instance of the system's model, or None."""
    options: Any
    """An instance of the system's `submit_options`; `NoArgs` for a call."""

    def make(self, index: int) -> Operation:
        """Return operation number `index`, from 0."""
        id_ = f"{self.id}.{index}" if self.repeated else self.id
        return Operation(id_, self.mode, self.name, self.make_args(index), self.options)


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of the timeline. Times are nanoseconds."""

    line: int
    template: Template
    at: int | None
    """When the first is played; None for an entry that waits for an event."""
    after: EventName | None
    plus: int
    """Added to the event's instant."""
    repeat: int
    every: int
    """Between two of a repeat."""
    offsets: tuple[int, ...] | None = None
    """Arrivals (`poisson`, `burst`, `from_csv`): when each of the repeat is played, from the first
    instant on, in order; in the place of `every`."""


@dataclass(frozen=True, slots=True)
class FaultEntry:
    """One entry of `faults`. Times are nanoseconds."""

    line: int
    fault: Fault
    at: int | None
    after: EventName | None
    plus: int
    lasts: int | None
    """`for`: it is undone then; None: at the end of the run."""


@dataclass(frozen=True, slots=True)
class Held:
    """One pair of `order`: `then` is held back until `first` has happened."""

    line: int
    first: EventName
    then: EventName
    """A submission (`ID.submitted`), or a command's begin (`ID.N.COMMAND.begin`)."""


@dataclass(frozen=True, slots=True)
class Threshold:
    """One entry of `thresholds`: a statistic over the samples of a metric, within bounds."""

    line: int
    metric: str
    """A key of `windtunnel.checks.metrics.METRICS`."""
    of: tuple[str, ...]
    """Classes, ids of entries, operations; empty: all."""
    where: Mapping[str, str]
    """Field of the samples → the value that is meant: `outcome`, `told`, `code`."""
    stat: Stat
    min: float | None
    """In the metric's unit: nanoseconds for a duration."""
    max: float | None
    min_samples: int
    because: str = ""

    def loosened(self, tolerance: int) -> Threshold:
        """Return it with bounds further apart by so many nanoseconds: of a duration."""
        return replace(
            self,
            min=None if self.min is None else self.min - tolerance,
            max=None if self.max is None else self.max + tolerance,
        )


@dataclass(frozen=True, slots=True)
class Case:
    """The row of `cases` that a cell comes from: column → value, as plain data."""

    inputs: Mapping[str, Any]
    outputs: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Repeats:
    """How often a cell is played, and how many of these have to pass (`per_world`)."""

    repeat: int = 1
    pass_at_least: int = 1


@dataclass(frozen=True, slots=True)
class Cell:
    """One run: a point of the matrix and one row of the cases, in one world."""

    scenario: str
    file: str
    """The path as it was given."""
    line: int
    """Where the cell comes from: the case's row, else the scenario's first line."""
    axes: Mapping[str, Scalar]
    """What tells this cell from its sisters: axis → value, `case` → row id, `world` if several."""
    world: str
    system: str
    policy: str
    """The named set that options were laid over."""
    policy_options: Any
    """An instance of the system's `policy_options`."""
    scheduler: str | None
    seed: int
    given: Any
    """An instance of the system's `given`."""
    timeline: tuple[Entry, ...]
    observe_at: int | None
    """When observables are taken; None: at the end."""
    settle: int
    until: int | None
    limits: Limits
    expect: tuple[Expectation, ...]
    variables: Mapping[str, Any]
    covers: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    faults: tuple[FaultEntry, ...] = ()
    order: tuple[Held, ...] = ()
    ties: Ties = _FIFO
    order_is_given: bool = False
    """Whether the file itself says one order of ties (`fifo`, `lifo`, `choices`) that its
    expectations hang on: the command line does not change it."""
    explore: int = 0
    """In how many orders of ties, each by a seed of its own, the cell is played; 0: in one."""
    thresholds: tuple[Threshold, ...] = ()
    requires: tuple[str, ...] = ()
    """What the world must have (`World.features`); what is unmet skips the cell."""
    repeats: Repeats = Repeats()
    tolerance: int = 0
    """By how much the times that are asked for may be missed, ns (`per_world`)."""
    status: Status = "active"
    case: Case | None = None

    @property
    def name(self) -> str:
        """`scenario[axis=value,…]`, as `-k` matches it and reports show it."""
        return f"{self.scenario}{axes_label(self.axes)}"


def axes_label(axes: Mapping[str, Scalar]) -> str:
    """Return `[axis=value,…]`, or `""` without axes."""
    shown = ",".join(f"{axis}={written(value)}" for axis, value in axes.items())
    return f"[{shown}]" if axes else ""
