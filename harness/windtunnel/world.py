"""A world: the loop and the ports that a system under test runs on.

The simulated world lives in `windtunnel_models`, the real one in `windtunnel_real`; both are
reached by name through `windtunnel.builtin`. This module holds what they share: the protocol, the
limits of a run and how a run ended.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from windtunnel import units
from windtunnel.ports import Ports
from windtunnel.trace import Trace

EndReason = Literal["finished", "until", "deadlock", "limit", "error"]
Main = Callable[[], Coroutine[Any, Any, None]]


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may use; reaching one makes the verdict unknown, not a failure."""

    sim: int = units.HOUR
    """Nanoseconds of the world's own time."""
    wall: int = 60 * units.SECOND
    """Nanoseconds of real time."""
    events: int = 1_000_000
    """Trace events."""


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How a run ended. `message` says what happened where it did not simply finish."""

    reason: EndReason
    message: str = ""


TieOrder = Literal["fifo", "lifo", "seeded"]


@dataclass(frozen=True, slots=True)
class Ties:
    """Who goes first among the lanes that are ready at one instant; the real world ignores it.

    A lane is one task or one process of the simulation; inside a lane the order is always FIFO.
    """

    order: TieOrder = "fifo"
    seed: int = 0
    """Of `seeded`: its stream of choices."""
    choices: tuple[int, ...] = ()
    """Taken before `order` is asked: the index of the lane chosen, one per tie."""

    @property
    def asked(self) -> bool:
        """Tell whether there is anything to ask: plain FIFO costs nothing."""
        return self.order != "fifo" or bool(self.choices)


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that goes wrong in the world on purpose."""

    id: str
    """The entry's own id, or `fault-N` from 0, in the order of the file."""
    do: str
    """A key of the system's `faults`."""
    args: Mapping[str, Any] = field(default_factory=dict)
    """The fields of the system's model for it (`target` and what else it has), as plain data."""


Keep = Literal["none", "failed", "all"]


@dataclass(frozen=True, slots=True)
class WorldOptions:
    """How a real world is to be run, as the command line says; the simulated one needs none."""

    display: str | None = None
    """The name of a display that is there (`:1`); None: one of its own, for this run alone."""
    driver: str | None = None
    """What moves the pointer and presses the keys; None: the world's own choice."""
    window_manager: str | None = None
    """Which window manager runs on its own display; None: none."""
    frames: Keep = "failed"
    """Of which runs the pictures before and after each step are kept."""
    frames_folder: str = "windtunnel-frames"
    """Where they are kept, a folder per run."""


@dataclass(frozen=True, slots=True)
class WorldSpec:
    """What a world is made from.

    `given` is the part of a scenario's `given` that describes the world; its keys are the system's
    (for `ui`: `wechat`, `latencies`). `seed` is the root of the world's random streams.
    """

    seed: int = 0
    limits: Limits = Limits()
    given: Mapping[str, Any] | None = None
    ties: Ties = Ties()
    parts: tuple[str, ...] = ("desktop",)
    """The parts of the world that the system stands on (`System.parts`); no other is made."""
    options: WorldOptions = WorldOptions()


class World(Protocol):
    """Owns the event loop and the ports; one world serves one run."""

    name: str
    trace: Trace
    ports: Ports
    features: frozenset[str]
    """What this world has, for `requires`: `desktop`, `processes`, `records`, `ties`, …"""

    def run(self, main: Main) -> RunEnd:
        """Run `main()` to its end or to a limit; never raises for what the code under test does.

        Deadlock, busy spin, a lost background exception and a limit each become a `RunEnd`. What
        is still on when `main` ends is cancelled and undone. The trace is closed by the caller.
        """

    def inject(self, fault: Fault) -> Awaitable[None]:
        """Make a fault happen, at the call where the world can; what it returns ends when it is on.

        Records `fault.injected`, and `fault.affected` once it has had an effect: at once for what
        changes the world, at the first command touched for what lies in wait. Raises `FaultError`
        (at the call or from what is returned) when it cannot be brought about.
        """

    def undo(self, fault: Fault) -> Awaitable[None]:
        """Take a fault back and verify it; records `fault.undone`.

        Nothing happens for one that is over or never began. Raises `FaultError` when it stays on.
        """

    def keep(self, name: str, *, failed: bool) -> str:
        """Say what came of the run, once it is judged: keep or drop what was set aside for that.

        `name` is for the run alone. Returns the folder in which something was kept, else `""`.
        """

    @property
    def choices(self) -> tuple[int, ...]:
        """The choices made at ties so far, as `Ties.choices` takes them; empty for plain FIFO."""
