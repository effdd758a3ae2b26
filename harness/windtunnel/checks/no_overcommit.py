"""The check `no_overcommit`: the split keeps to the capacity, and uses it (RT-S3, RT-S4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.inside_load import KINDS, Load, sides_sent
from windtunnel.checks.moments import at
from windtunnel.checks.views import Side
from windtunnel.trace import Event, Trace


class NoOvercommitArgs(CheckArgs):
    """Which side is looked at."""

    of: Side | None = None
    """Without one both are."""


@register("no_overcommit", NoOvercommitArgs)
def no_overcommit(trace: Trace, args: NoOvercommitArgs, context: Context) -> CheckResult:
    """No decision sends more to a side than is free there, or leaves free what it needs (RT-S3).

    Of each `route.decided`: neither side gets more than the capacity that the backend knows of;
    nothing goes outside or waits while inside is free; nothing waits while outside is free. Tasks
    that have fallen back only go outside and are no part of a split. What goes inside, and what
    was sent there and is not over, is never more than the instances online (RT-S4): a task that
    was refused, or that the dispatcher is done with or has put back, counts no longer. Measured:
    the number of decisions that break this. Vacuous without a decision.
    """
    del context
    load, total = Load(sides_sent(trace)), 0
    wrong: list[tuple[str, tuple[int, ...]]] = []
    for event in trace.of("route.decided", *KINDS):
        if event.kind != "route.decided":
            load.enter(event)
            continue
        total += 1
        told = "; ".join(_misses(event, load, args.of))
        if told:
            report = () if load.report is None else (load.report.seq,)
            wrong.append((f"{at(event)}: {told}", (event.seq, *report)))
    if not total:
        return CheckResult(Verdict.VACUOUS, "nothing was decided")
    if not wrong:
        return CheckResult(Verdict.PASS, f"{total} decisions keep to the capacity", measured=0)
    told, witness = wrong[0]
    message = f"{told}; {len(wrong)} of {total} decisions"
    return CheckResult(Verdict.FAIL, message, witness, len(wrong))


def _misses(decided: Event, load: Load, of: Side | None) -> Iterator[str]:
    for side, misses in _MISSES.items():
        if of in (None, side):
            yield from misses(decided.details, load)


def _inside(decided: Mapping[str, int], load: Load) -> Iterator[str]:
    sent, free, waiting = decided["to_internal"], decided["internal"], decided["waiting"]
    if sent > free:
        yield f"{sent} sent inside with {free} free there"
    elif sent < min(free, waiting):
        yield f"{waiting - sent} of {waiting} kept from the inside with {free - sent} free there"
    if sent and load.report is not None and load.open + sent > load.online:
        yield f"{sent} sent inside, where {load.open} are open already, with {load.online} online"


def _outside(decided: Mapping[str, int], load: Load) -> Iterator[str]:
    del load
    sent, free = decided["to_external"], decided["external"]
    left = decided["waiting"] - decided["to_internal"] - sent
    if sent > free:
        yield f"{sent} sent outside with {free} free there"
    elif left > 0 and sent < free:
        yield f"{left} left waiting with {free - sent} free outside"
    if left < 0:
        yield f"{-left} more sent than were waiting"


_MISSES: Final[Mapping[Side, Callable[[Mapping[str, int], Load], Iterator[str]]]] = (
    MappingProxyType({"internal": _inside, "external": _outside})
)
