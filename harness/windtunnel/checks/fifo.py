"""The check `fifo`: starts follow submissions (UI-Q1)."""

from __future__ import annotations

from typing import Literal

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.lifecycles import Lifecycle, walk
from windtunnel.checks.selection import Operations
from windtunnel.trace import Trace
from windtunnel.units import format_duration


class FifoArgs(CheckArgs):
    """Among which operations the order is kept."""

    within: Literal["priority", "all"] = "priority"
    of: Operations = ()


@register("fifo", FifoArgs)
def fifo(trace: Trace, args: FifoArgs, context: Context) -> CheckResult:
    """Among operations of one priority, or among all, starts follow submissions (UI-Q1).

    Operations that never start are passed over, and so are those that go past the scheduler
    (`via: direct`). Measured: the number of operations that started after one submitted later.
    Vacuous where no two operations of one group started.
    """
    del context
    ahead: dict[int, Lifecycle] = {}
    inversions: list[tuple[Lifecycle, Lifecycle]] = []
    compared = False
    for event, life in walk(trace, args.of):
        if event is not life.started or not life.queued:
            continue
        group = life.urgency if args.within == "priority" else 0
        latest = ahead.setdefault(group, life)
        compared |= latest is not life
        if life.submitted.seq < latest.submitted.seq:
            inversions.append((latest, life))
        else:
            ahead[group] = life
    if not compared:
        return CheckResult(Verdict.VACUOUS, "no two operations started that could be compared")
    if not inversions:
        return CheckResult(Verdict.PASS, "starts follow submissions", measured=0)
    return _failure(*inversions[0], len(inversions))


def _failure(overtaker: Lifecycle, overtaken: Lifecycle, inversions: int) -> CheckResult:
    witness = (overtaken.started, overtaker.started, overtaken.submitted, overtaker.submitted)
    return CheckResult(
        Verdict.FAIL,
        f"{_told(overtaken)} only after {_told(overtaker)}; {inversions} started out of order",
        tuple(event.seq for event in witness if event is not None),
        inversions,
    )


def _told(life: Lifecycle) -> str:
    started = life.started or life.submitted
    submitted = format_duration(life.submitted.time)
    return f"{life.op} (submitted at {submitted}) started at {format_duration(started.time)}"
