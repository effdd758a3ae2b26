"""The check `no_overcommit`: the split keeps to the capacity, and uses it (RT-S3, RT-S4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.moments import at
from windtunnel.checks.views import PLACES, Side
from windtunnel.trace import Event, Trace

_KINDS: Final = ("route.decided", "capacity.known", "task.refused", "task.moved")


class NoOvercommitArgs(CheckArgs):
    """Which side is looked at."""

    of: Side | None = None
    """Without one both are."""


@dataclass(slots=True)
class Knowledge:
    """What the trace tells of the capacity inside up to a decision."""

    report: Event | None = None
    """The last one."""
    since: int = 0
    """Tasks that went inside since then, less those that were refused or left it."""

    def enter(self, event: Event) -> None:
        """Take in what is no decision."""
        if event.kind == "capacity.known":
            self.report, self.since = event, 0
        elif event.kind == "task.refused":
            self._back(event.details["side"] == "internal")
        else:
            inside = event.details.get("from") == PLACES["internal"]
            self._back(event.actor == "backend" and inside)

    def _back(self, comes: bool) -> None:  # noqa: FBT001 - whether one comes back is all there is
        self.since = max(0, self.since - comes)


@register("no_overcommit", NoOvercommitArgs)
def no_overcommit(trace: Trace, args: NoOvercommitArgs, context: Context) -> CheckResult:
    """No decision sends more to a side than is free there, or leaves free what it needs (RT-S3).

    Of each `route.decided`: neither side gets more than the capacity that the backend knows of;
    nothing goes outside or waits while inside is free; nothing waits while outside is free. Tasks
    that have fallen back only go outside and are no part of a split. From one report of the
    capacity inside to the next (`capacity.known`) no more goes inside than were available, refusals
    and ends taken off (RT-S4). Measured: the number of decisions that break this. Vacuous without a
    decision.
    """
    del context
    known, total = Knowledge(), 0
    wrong: list[tuple[str, tuple[int, ...]]] = []
    for event in trace.of(*_KINDS):
        if event.kind != "route.decided":
            known.enter(event)
            continue
        total += 1
        known.since += event.details["to_internal"]
        told = "; ".join(_misses(event, known, args.of))
        if told:
            report = () if known.report is None else (known.report.seq,)
            wrong.append((f"{at(event)}: {told}", (event.seq, *report)))
    if not total:
        return CheckResult(Verdict.VACUOUS, "nothing was decided")
    if not wrong:
        return CheckResult(Verdict.PASS, f"{total} decisions keep to the capacity", measured=0)
    told, witness = wrong[0]
    message = f"{told}; {len(wrong)} of {total} decisions"
    return CheckResult(Verdict.FAIL, message, witness, len(wrong))


def _misses(decided: Event, known: Knowledge, of: Side | None) -> Iterator[str]:
    for side, misses in _MISSES.items():
        if of in (None, side):
            yield from misses(decided.details, known)


def _inside(decided: Mapping[str, int], known: Knowledge) -> Iterator[str]:
    sent, free, waiting = decided["to_internal"], decided["internal"], decided["waiting"]
    if sent > free:
        yield f"{sent} sent inside with {free} free there"
    elif sent < min(free, waiting):
        yield f"{waiting - sent} of {waiting} kept from the inside with {free - sent} free there"
    available = known.report.details["available"] if known.report else None
    if available is not None and known.since > available:
        yield f"{known.since} sent inside since a report of {available} available"


def _outside(decided: Mapping[str, int], known: Knowledge) -> Iterator[str]:
    del known
    sent, free = decided["to_external"], decided["external"]
    left = decided["waiting"] - decided["to_internal"] - sent
    if sent > free:
        yield f"{sent} sent outside with {free} free there"
    elif left > 0 and sent < free:
        yield f"{left} left waiting with {free - sent} free outside"
    if left < 0:
        yield f"{-left} more sent than were waiting"


_MISSES: Final[Mapping[Side, Callable[[Mapping[str, int], Knowledge], Iterator[str]]]] = (
    MappingProxyType({"internal": _inside, "external": _outside})
)
