"""The check `traced`: the trace tells of each task all that became of it (RT-P3)."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.lifecycles import Lifecycle, lifecycles
from windtunnel.checks.moments import at
from windtunnel.checks.pairing import Pair
from windtunnel.checks.selection import Operations
from windtunnel.checks.views import works
from windtunnel.trace import Event, Outcome, Trace

_ASKED: Final = ("task.sent", "task.refused", "task.accepted", "task.repeated")
"""Any of these shows that a platform was asked to take the task."""


class TracedArgs(CheckArgs):
    """Which tasks."""

    of: Operations = ()


@dataclass(frozen=True, slots=True)
class Log:
    """What the trace holds beside the boundary, in the order of sequence."""

    decisions: Sequence[int]
    """The sequence numbers of all decisions."""
    handed_over: Mapping[str, Sequence[Event]]
    """Task → when a platform was asked to take it."""
    works: Mapping[str, Sequence[Pair]] = field(default_factory=dict)
    """Task → the works on it that ended well."""


@register("traced", TracedArgs)
def traced(trace: Trace, args: TracedArgs, context: Context) -> CheckResult:
    """Each task that has settled can be followed from its submission to its end (RT-P3).

    One that ended `done` was submitted, part of a decision (`route.decided`), worked on from a
    start to a good end, settled, and its owner told, in this order; and after the decision it was
    handed over to a platform: it came to `sending`, or was sent, refused or accepted; the answer
    may come later than the work and its result, or never. One that ended otherwise has a code that
    says why. Tasks that are not routed have no decision: leave them out of `of`. Measured: the
    number of tasks that cannot be followed. Vacuous where none settled.
    """
    del context
    lives = [life for life in lifecycles(trace, args.of).values() if life.settled]
    if not lives:
        return CheckResult(Verdict.VACUOUS, "no task had settled")
    log = _log(trace)
    wrong = [(life, gap) for life in lives if (gap := _gap(life, log))]
    if not wrong:
        return CheckResult(Verdict.PASS, f"{len(lives)} tasks can be followed", measured=0)
    life, gap = wrong[0]
    events = (life.settled, life.submitted)
    return CheckResult(
        Verdict.FAIL,
        f"{life.op}: {gap}; {len(wrong)} of {len(lives)} tasks",
        tuple(event.seq for event in events if event),
        len(wrong),
    )


def _log(trace: Trace) -> Log:
    handed_over: defaultdict[str, list[Event]] = defaultdict(list)
    for event in trace.of(*_ASKED, "task.moved"):
        if event.kind != "task.moved" or _was_taken(event):
            handed_over[event.op].append(event)
    good: defaultdict[str, list[Pair]] = defaultdict(list)
    for work in works(trace):
        if work.end is not None and work.end.outcome == Outcome.DONE:
            good[work.start.op].append(work)
    return Log([event.seq for event in trace.of("route.decided")], handed_over, good)


def _was_taken(moved: Event) -> bool:
    """Tell whether a move shows that the backend sends a task, whatever becomes of the answer."""
    return moved.actor == "backend" and moved.details.get("to") == "sending"


def _gap(life: Lifecycle, log: Log) -> str:
    """Return what is missing of a task that has settled, or `""`."""
    settled, told = life.settled, life.answered
    assert settled is not None
    if told is None:
        return f"settled {at(settled)}, and its owner was not told"
    if told.seq < settled.seq:
        return f"its owner was told {at(told)}, before it settled {at(settled)}"
    if settled.outcome != Outcome.DONE:
        codes = [event.details.get("code") for event in (settled, told)]
        return "" if any(codes) else f"settled as {settled.outcome} {at(settled)} without a code"
    return _gap_of_work(life, settled, log)


def _gap_of_work(life: Lifecycle, settled: Event, log: Log) -> str:
    work = next(
        (one for one in log.works.get(life.op, ()) if one.end and one.end.seq < settled.seq), None
    )
    if work is None:
        return f"settled as done {at(settled)} without work that ended well before"
    handed_over = next(iter(log.handed_over.get(life.op, ())), None)
    if handed_over is None:
        return "worked on without having been handed over to a platform"
    first = min(handed_over.seq, work.start.seq)
    if not _any_between(log.decisions, life.submitted.seq, first):
        return f"handed over {at(handed_over)} without a decision before"
    return ""


def _any_between(seqs: Sequence[int], low: int, high: int) -> bool:
    place = bisect_right(seqs, low)
    return place < len(seqs) and seqs[place] < high
