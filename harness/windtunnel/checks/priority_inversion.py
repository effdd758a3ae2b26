"""The check `priority_inversion`: the more urgent operation starts first (UI-Q1)."""

from __future__ import annotations

from collections import defaultdict, deque
from typing import NamedTuple, Self

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.lifecycles import Lifecycle, walk
from windtunnel.checks.moments import at
from windtunnel.fields import Duration
from windtunnel.trace import Event, Trace
from windtunnel.units import format_duration, to_seconds


class PriorityInversionArgs(CheckArgs):
    """How long a more urgent operation may be passed over."""

    bound: Duration = 0
    """It may have waited less than this; 0 s: it may not have waited at all."""

    def loosened(self, tolerance: int) -> Self:
        """Return it with so much longer a wait allowed."""
        return self.model_copy(update={"bound": self.bound + tolerance})


class Inversion(NamedTuple):
    """A start while a more urgent operation waited."""

    waited: int
    """How long it had waited by then, ns."""
    start: Event
    passed_over: Lifecycle


@register("priority_inversion", PriorityInversionArgs)
def priority_inversion(trace: Trace, args: PriorityInversionArgs, context: Context) -> CheckResult:
    """Nobody starts while a more urgent operation, submitted earlier, still waits (UI-Q1, UI-AC2).

    Earlier means at an earlier instant than the start; it waits while it neither started nor
    settled. One that has waited less than `bound` may be passed over. A running operation is never
    interrupted (UI-L3), so it is starts that are judged. Operations that go past the scheduler
    (`via: direct`) neither wait nor overtake. Measured: the longest wait, in seconds, of an
    operation that was passed over, 0 where none was. Vacuous where the operations submitted are
    of one priority, or none started.
    """
    del context
    queues: dict[int, deque[Lifecycle]] = defaultdict(deque)
    worst: Inversion | None = None
    started = 0
    for event, life in walk(trace):
        if not life.queued:
            continue
        if event is life.submitted:
            queues[life.urgency].append(life)
        elif event is life.started:
            started += 1
            found = _passed_over(queues, event, life.urgency)
            if found and (worst is None or found.waited > worst.waited):
                worst = found
    if not started or len(queues) == 1:
        return CheckResult(Verdict.VACUOUS, "no two operations of different priority to compare")
    if worst is None:
        return CheckResult(Verdict.PASS, "the more urgent started first", measured=0.0)
    verdict = Verdict.FAIL if worst.waited >= args.bound else Verdict.PASS
    return _result(verdict, worst)


def _passed_over(
    queues: dict[int, deque[Lifecycle]], start: Event, urgency: int
) -> Inversion | None:
    """Return the more urgent operation that has waited longest, or None."""
    found: Inversion | None = None
    for priority, queue in queues.items():
        if priority >= urgency:
            continue
        while queue and (queue[0].started or queue[0].settled):
            queue.popleft()
        waited = start.time - queue[0].submitted.time if queue else 0
        if waited > (found.waited if found else 0):
            found = Inversion(waited, start, queue[0])
    return found


def _result(verdict: Verdict, worst: Inversion) -> CheckResult:
    waited, start, life = worst
    return CheckResult(
        verdict,
        f"{start.class_} {start.op} started {at(start)} while the more urgent "
        f"{life.submitted.class_} {life.op} had waited {format_duration(waited)}",
        (start.seq, life.submitted.seq),
        to_seconds(waited),
    )
