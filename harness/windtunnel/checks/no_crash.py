"""The check `no_crash`: no program ends by an error of its own (RT-X2)."""

from __future__ import annotations

from typing import Literal

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.moments import at
from windtunnel.trace import Event, Trace


class NoCrashArgs(CheckArgs):
    """Which crashes are one too many."""

    why: Literal["raised", "killed", "any"] = "raised"
    """`killed`: by a fault; `raised`: by what the program raised."""


@register("no_crash", NoCrashArgs)
def no_crash(trace: Trace, args: NoCrashArgs, context: Context) -> CheckResult:
    """No host's program crashes, by default by an error of its own (RT-X2).

    What a fault kills is no fault of the program's: ask for it with `why: any`. Measured: the
    number of crashes. Vacuous where no program was started.
    """
    del context
    crashes = [
        event for event in trace.of("host.crashed") if args.why in ("any", event.details["why"])
    ]
    if crashes:
        witness = tuple(event.seq for event in crashes)
        return CheckResult(Verdict.FAIL, _told(crashes), witness, len(crashes))
    started = sum(1 for _ in trace.of("host.started"))
    if not started:
        return CheckResult(Verdict.VACUOUS, "no program was started")
    return CheckResult(Verdict.PASS, f"none of {started} programs crashed so", measured=0)


def _told(crashes: list[Event]) -> str:
    first, others = crashes[0], len(crashes) - 1
    error = first.details.get("error")
    how = "was killed" if error is None else f"raised {error}"
    more = f"; then {others} more" if others else ""
    return f"the program of {first.resource} {how} {at(first)}{more}"
