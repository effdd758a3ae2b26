"""The check `once_at_a_time`: nobody works on a task while another does (RT-C2)."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise
from math import inf
from typing import Literal

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.moments import at
from windtunnel.checks.pairing import Pair
from windtunnel.checks.selection import Operations, selects
from windtunnel.checks.views import works
from windtunnel.trace import Trace


class OnceAtATimeArgs(CheckArgs):
    """Which tasks, and whose work on them counts."""

    of: Operations = ()
    where: Literal["anywhere", "inside"] = "anywhere"
    """On the external platform, too, or by our own instances alone."""


@register("once_at_a_time", OnceAtATimeArgs)
def once_at_a_time(trace: Trace, args: OnceAtATimeArgs, context: Context) -> CheckResult:
    """No task is worked on in two places at once (RT-C2).

    Work may begin at the very instant at which other work on the task ends; work that never ended
    goes on to the end of the run. One after the other is no offence: a task that was lost is done
    again. Measured: the number of tasks that were. Vacuous where none was worked on.
    """
    del context
    found = _works(trace, args)
    if not found:
        return CheckResult(Verdict.VACUOUS, "no task was worked on")
    clashes = sorted(clash for of_task in found.values() if (clash := _overlap(of_task)))
    if not clashes:
        return CheckResult(Verdict.PASS, f"{len(found)} tasks, one place at a time", measured=0)
    late, early = clashes[0]
    told = (
        f"{late.start.resource} began on {late.start.op} {at(late.start)}, while "
        f"{early.start.resource} had been working on it since {at(early.start)[3:]}"
    )
    return CheckResult(
        Verdict.FAIL,
        f"{told}; {len(clashes)} of {len(found)} tasks",
        (late.start.seq, early.start.seq, *(end.seq for end in (early.end,) if end)),
        len(clashes),
    )


def _works(trace: Trace, args: OnceAtATimeArgs) -> dict[str, list[Pair]]:
    classes = {event.op: event.class_ for event in trace.of("action.submitted")}
    found: defaultdict[str, list[Pair]] = defaultdict(list)
    for work in works(trace):
        counts = args.where == "anywhere" or work.start.details["side"] == "internal"
        if counts and selects(args.of, work.start.op, classes.get(work.start.op, "")):
            found[work.start.op].append(work)
    return found


def _overlap(of_task: list[Pair]) -> tuple[Pair, Pair] | None:
    """Return the first work that began during another one, and that one.

    In the order of their begins two neighbours overlap wherever any two do.
    """
    of_task.sort(key=lambda work: (work.start.time, _end(work)))
    for early, late in pairwise(of_task):
        if late.start.time < _end(early):
            return late, early
    return None


def _end(work: Pair) -> float:
    return inf if work.end is None else work.end.time
