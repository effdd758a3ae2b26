"""The check `gap`: the pause between one operation's end and the next start (UI-Q4)."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple, Self

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.lifecycles import Lifecycle, walk
from windtunnel.checks.moments import at
from windtunnel.checks.selection import Operations, selects
from windtunnel.fields import Duration
from windtunnel.trace import Event, Trace
from windtunnel.units import format_duration, to_seconds


class GapArgs(CheckArgs):
    """After which operations, and how long it is at least."""

    of: Operations = ()
    """After these; whatever starts next counts."""
    min: Duration

    def loosened(self, tolerance: int) -> Self:
        """Return it with a shorter gap allowed."""
        return self.model_copy(update={"min": self.min - tolerance})


class Gap(NamedTuple):
    """From an operation's end to the next start; negative where that came before the end."""

    length: int
    start: Event
    end: Event


@register("gap", GapArgs)
def gap(trace: Trace, args: GapArgs, context: Context) -> CheckResult:
    """After an operation of these ended, at least `min` passes before the next one starts (UI-Q4).

    An operation's end is its own, not its caller's. Operations that never start are passed over,
    and so are those that go past the scheduler (`via: direct`). Measured: the shortest gap in
    seconds, negative where the next started before the end. Vacuous where nothing started after
    such an operation.
    """
    del context
    shortest = min(_gaps(trace, args.of), default=None)
    if shortest is None:
        return CheckResult(Verdict.VACUOUS, "nothing started after such an operation")
    length, start, end = shortest
    return CheckResult(
        Verdict.PASS if length >= args.min else Verdict.FAIL,
        f"{start.op} started {at(start)}, {format_duration(length)} after {end.op} ended, "
        f"expected at least {format_duration(args.min)}",
        (start.seq, end.seq),
        to_seconds(length),
    )


def _gaps(trace: Trace, of: tuple[str, ...]) -> list[Gap]:
    """Return the gaps after the operations of a selection, by the order of starts."""
    ran: list[tuple[Lifecycle, Event]] = [
        (life, event) for event, life in walk(trace) if event is life.started and life.queued
    ]
    return [
        Gap(start.time - life.settled.time, start, life.settled)
        for (life, _), (_, start) in pairwise(ran)
        if life.settled is not None and selects(of, life.op, life.submitted.class_)
    ]
