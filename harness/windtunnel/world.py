"""A world: the loop and the ports that a system under test runs on.

The simulated world lives in `windtunnel_models`, the real one in `windtunnel_real`; both are
reached by name through `windtunnel.builtin`. This module holds what they share: the protocol, the
limits of a run and how a run ended.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class WorldSpec:
    """What a world is made from.

    `given` is the part of a scenario's `given` that describes the world; its keys are the system's
    (for `ui`: `display`, `processes`). `seed` is the root of the world's random streams.
    """

    seed: int = 0
    limits: Limits = Limits()
    given: Mapping[str, Any] | None = None


class World(Protocol):
    """Owns the event loop and the ports; one world serves one run."""

    name: str
    trace: Trace
    ports: Ports

    def run(self, main: Main) -> RunEnd:
        """Run `main()` to its end or to a limit; never raises for what the code under test does.

        Deadlock, busy spin, a lost background exception and a limit each become a `RunEnd`. What
        is still on when `main` ends is cancelled and undone. The trace is closed by the caller.
        """
