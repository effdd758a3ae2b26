"""The check `recovery`: degraded at once, recovered only after good checks (RT-H3, RT-H4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Final, Literal

from pydantic import Field

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.moments import at
from windtunnel.fields import Duration
from windtunnel.trace import Event, Trace
from windtunnel.units import SECOND, format_duration

Reason = Literal[
    "channel_closed",
    "no_heartbeat",
    "no_instance",
    "nothing_available",
    "store",
    "memory",
    "unknown",
]
"""Why the router takes the inside as not there (RT-H2, RT-X2)."""

_KINDS: Final = ("health.checked", "router.degraded", "router.recovered", "host.started")


class RecoveryArgs(CheckArgs):
    """Which degradations, how soon after their detection, and what ends them."""

    reason: Reason | None = None
    """Degradations for this reason alone."""
    within: Duration = SECOND
    """From the detection until the router is told."""
    healthy_checks: Annotated[int, Field(ge=1)] = 3
    """Good checks in a row before a recovery."""


@dataclass(frozen=True, slots=True)
class Recovery:
    """A degradation, its end if it has come, and the good checks in a row up to then."""

    degraded: Event
    recovered: Event | None
    checks: int


@register("recovery", RecoveryArgs)
def recovery(trace: Trace, args: RecoveryArgs, context: Context) -> CheckResult:
    """Each degradation reaches the router `within` its detection, and ends late enough (RT-H3, H4).

    `router.recovered` follows only on `healthy_checks` good ones in a row (`health.checked`) since
    the degradation, and since the backend's last start: the degradation outlives it, the count does
    not. Measured: the number of degradations that were told or ended amiss. Vacuous where
    nothing was degraded, or nothing recovered from it.
    """
    del context
    found = [
        one for one in _recoveries(trace) if args.reason in (None, one.degraded.details["reason"])
    ]
    wrong = [(told, _seqs(one)) for one in found if (told := _told(one, args))]
    if wrong:
        more = f"; {len(wrong)} of {len(found)} degradations" if len(found) > 1 else ""
        return CheckResult(Verdict.FAIL, wrong[0][0] + more, wrong[0][1], len(wrong))
    ended = sum(one.recovered is not None for one in found)
    if not ended:
        told = f"{len(found)} degradations, and no recovery" if found else "nothing was degraded"
        return CheckResult(Verdict.VACUOUS, told, measured=0)
    return CheckResult(Verdict.PASS, f"{len(found)} degradations, {ended} recoveries", measured=0)


def _recoveries(trace: Trace) -> Iterator[Recovery]:
    degraded: Event | None = None
    good = 0
    for event in trace.of(*_KINDS):
        match event.kind:
            case "health.checked":
                good = good + 1 if event.details["healthy"] else 0
            case "router.degraded":
                if degraded is not None:
                    yield Recovery(degraded, None, 0)
                degraded, good = event, 0
            case "router.recovered":
                if degraded is not None:
                    yield Recovery(degraded, event, good)
                degraded, good = None, 0
            case _ if event.resource == "backend":
                good = 0
    if degraded is not None:
        yield Recovery(degraded, None, 0)


def _told(one: Recovery, args: RecoveryArgs) -> str:
    degraded, recovered = one.degraded, one.recovered
    late = degraded.details["after"]
    reason = degraded.details["reason"]
    if late > args.within:
        told = f"degraded ({reason}) {at(degraded)}, {format_duration(late)} after the detection"
        return f"{told}, allowed {format_duration(args.within)}"
    if recovered is not None and one.checks < args.healthy_checks:
        told = f"recovered {at(recovered)} after {one.checks} good checks in a row"
        return f"{told}, needed {args.healthy_checks}; it was degraded ({reason}) {at(degraded)}"
    return ""


def _seqs(one: Recovery) -> tuple[int, ...]:
    ends = () if one.recovered is None else (one.recovered.seq,)
    return (*ends, one.degraded.seq)
