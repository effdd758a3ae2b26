"""The check `recovery`: degraded at once, recovered only after good checks (RT-H3, RT-H4)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.degradations import Degradation, degradations
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


class RecoveryArgs(CheckArgs):
    """Which degradations, how soon after their detection, and what ends them."""

    reason: Reason | None = None
    """Degradations for this reason alone."""
    within: Duration = SECOND
    """From the detection until the router is told."""
    healthy_checks: Annotated[int, Field(ge=1)] = 3
    """Good checks in a row before a recovery."""


@register("recovery", RecoveryArgs)
def recovery(trace: Trace, args: RecoveryArgs, context: Context) -> CheckResult:
    """Each degradation reaches the router `within` its detection, and ends late enough (RT-H3, H4).

    It is detected by the first of `link.lost`, a bad `health.checked`, and an error that degrades
    (`error.met`). From `router.degraded` until `router.recovered` no decision sends anything
    inside. `router.recovered` follows only on `healthy_checks` good ones in a row
    (`health.checked`) since the last sign of trouble, and since the backend's last start: the
    degradation outlives it, the count does not. Where a start may have forgotten the degradation,
    for the store was down, decisions are judged up to the first good check after it. Measured: the
    number of degradations that were told, kept to or ended amiss. Vacuous where nothing was
    degraded, or nothing recovered from it.
    """
    del context
    found = [one for one in degradations(trace) if _is_meant(one, args)]
    wrong = [offence for one in found if (offence := _offence(one, args))]
    if wrong:
        told, witness = wrong[0]
        more = f"; {len(wrong)} of {len(found)} degradations" if len(found) > 1 else ""
        return CheckResult(Verdict.FAIL, told + more, witness, len(wrong))
    ended = sum(one.recovered is not None for one in found)
    if not ended:
        told = f"{len(found)} degradations, and no recovery" if found else "nothing was degraded"
        return CheckResult(Verdict.VACUOUS, told, measured=0)
    return CheckResult(Verdict.PASS, f"{len(found)} degradations, {ended} recoveries", measured=0)


def _is_meant(one: Degradation, args: RecoveryArgs) -> bool:
    if args.reason is None:
        return one.degraded is not None or one.until - one.since > args.within
    return one.degraded is not None and one.degraded.details["reason"] == args.reason


def _offence(one: Degradation, args: RecoveryArgs) -> tuple[str, tuple[int, ...]] | None:
    """Return what is wrong with a degradation and the events that show it, or None."""
    degraded, recovered = one.degraded, one.recovered
    if degraded is None:
        told = f"{one.detected.kind} {at(one.detected)}, and the router was not told to degrade"
        return told, (one.detected.seq,)
    name = f"degraded ({degraded.details['reason']}) {at(degraded)}"
    late = degraded.time - one.since
    if late > args.within:
        told = f"{name}, {format_duration(late)} after the detection"
        return f"{told}, allowed {format_duration(args.within)}", _seqs(degraded, one.detected)
    if (against := one.against) is not None:
        told = f"{against.details['to_internal']} sent inside {at(against)}; it was {name}"
        return told, _seqs(against, degraded)
    if recovered is not None and one.good < args.healthy_checks:
        told = f"recovered {at(recovered)} after {one.good} good checks in a row"
        told = f"{told}, needed {args.healthy_checks}; it was {name}"
        return told, _seqs(recovered, degraded)
    return None


def _seqs(*events: Event) -> tuple[int, ...]:
    return tuple(dict.fromkeys(event.seq for event in events))
