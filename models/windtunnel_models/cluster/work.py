"""Work: what an instance, or the external platform, does on one task; a SimPy process.

Imports simpy, the trace, the conditions of work and the wire form of a task.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final, Literal

import simpy

from windtunnel.services.wire.task import OWN_ID, WORK
from windtunnel.trace import Outcome, Trace
from windtunnel.units import MAX_NS, SECOND
from windtunnel_models.cluster.conditions import Conditions
from windtunnel_models.loop.environment import SimEnvironment

Side = Literal["internal", "external"]
SIDES: Final[Mapping[Side, Mapping[str, str]]] = MappingProxyType(
    {
        "internal": MappingProxyType({"side": "internal"}),
        "external": MappingProxyType({"side": "external"}),
    }
)
DEFAULT_WORK: Final = SECOND
"""How long one works on a task that does not say it, ns."""


@dataclass(frozen=True, slots=True)
class Workshop:
    """Where work is done: what it has in common, wherever it is."""

    env: SimEnvironment
    trace: Trace
    conditions: Conditions


class Work:
    """Work on one task at one place, from now on until it is over or is stopped.

    Records `work.started` and `work.ended`. What changes the pace meanwhile (`repace`) counts for
    what is left. `over` is told the error with which it failed, or None; it is not told when
    the work was stopped.
    """

    __slots__ = ("_left", "_over", "_place", "_process", "_shop", "_side", "_stopped", "op")

    def __init__(
        self,
        shop: Workshop,
        side: Side,
        place: str,
        task: Mapping[str, Any],
        over: Callable[[str | None], None],
    ) -> None:
        """Begin; `task` is a body in its wire form: whose it is, and how long it takes."""
        self.op = op_of(task)
        self._shop = shop
        self._side = side
        self._place = place
        self._over = over
        self._left = task.get(WORK, DEFAULT_WORK)
        self._stopped = False
        shop.trace.record("work.started", self.op, "", "", place, "", SIDES[side])
        self._process = shop.env.process(self._go_on())

    def stop(self) -> None:
        """End it where it is; nothing comes of it."""
        if self._process.is_alive and not self._stopped:
            self._stopped = True
            self._end(Outcome.ABORTED)
            self._process.interrupt()

    def repace(self) -> None:
        """Look at the pace again."""
        if self._process.is_alive and not self._stopped:
            self._process.interrupt()

    def _go_on(self) -> Generator[Any, Any, None]:
        env = self._shop.env
        while self._left and not self._stopped:
            pace = self._shop.conditions.pace(self._place, self.op)
            since = env.now
            try:
                yield env.timeout(round(self._left * pace))
                break
            except simpy.Interrupt:
                self._left = max(0, self._left - round((env.now - since) / pace))
        if self._stopped:
            return
        error = self._shop.conditions.failure(self._place, self.op)
        self._end(Outcome.DONE if error is None else Outcome.FAILED)
        self._over(error)

    def _end(self, outcome: str) -> None:
        place, side = self._place, SIDES[self._side]
        self._shop.trace.record("work.ended", self.op, "", "", place, outcome, side)


def op_of(task: Mapping[str, Any]) -> str:
    """Return whose work a task's body is: the id that its owner gave it, or `""`."""
    return str(task.get(OWN_ID, ""))


def wrong_work(task: object) -> str | None:
    """Tell why a body cannot be worked on, or None."""
    if not isinstance(task, Mapping):
        return f"a task is an object, not {type(task).__name__}"
    if not isinstance(task.get(OWN_ID), str) or not task[OWN_ID]:
        return f"`{OWN_ID}` must be a text that is not empty"
    work = task.get(WORK, DEFAULT_WORK)
    if type(work) is not int or not 0 <= work <= MAX_NS:
        return f"`{WORK}` is a whole number of nanoseconds, 0 to {MAX_NS}, not {work!r}"
    return None
