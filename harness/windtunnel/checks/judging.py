"""Judging: a check run over a finished trace, with the rules that hold for every check.

Imports the table of checks, `windtunnel.event_names` and `windtunnel.trace`.
"""

from __future__ import annotations

from typing import Final

from windtunnel.checks.base import CheckArgs, CheckResult, CheckSpec, Context, Verdict
from windtunnel.event_names import EventName
from windtunnel.kinds import KINDS
from windtunnel.trace import Trace

REPORTED_BY_SCHEDULER: Final = frozenset(
    kind for kind, row in KINDS.items() if row.origin == "scheduler"
)
"""Kinds that only a scheduler which reports from inside records (DESIGN §3)."""


def judge(spec: CheckSpec, trace: Trace, args: CheckArgs, context: Context) -> CheckResult:
    """Return the verdict of one check.

    After a limit a failure stays a failure and everything else is unknown. A check that needs
    kinds from inside the scheduler is skipped where the scheduler reported nothing at all.
    """
    told = reports_nothing(trace, needed_kinds(spec, args))
    if told:
        return after_a_limit(CheckResult(Verdict.SKIPPED, told), context)
    return after_a_limit(spec.check(trace, args, context), context)


def after_a_limit(result: CheckResult, context: Context) -> CheckResult:
    """Return a result as it stands where a limit cut the run short: a failure, or unknown."""
    if context.end.reason != "limit" or result.verdict is Verdict.FAIL:
        return result
    reason = context.end.message or "the run was ended by a limit"
    so_far = f"; up to then: {result.message}" if result.message else ""
    return CheckResult(Verdict.UNKNOWN, reason + so_far, result.witness, result.measured)


def needed_kinds(spec: CheckSpec, args: CheckArgs) -> frozenset[str]:
    """Return the kinds from inside a scheduler that a check with these arguments reads."""
    named = set(spec.optional_kinds)
    for value in dict(args).values():
        if isinstance(value, EventName):
            named.update(value.kinds)
        elif isinstance(value, str) and value.startswith("kind:"):
            named.add(value.removeprefix("kind:"))
    return REPORTED_BY_SCHEDULER.intersection(named)


def reports_nothing(trace: Trace, needed: frozenset[str]) -> str:
    """Return why what needs these kinds is skipped, or `""` where the scheduler reports."""
    if not needed or any(True for _ in trace.of(*REPORTED_BY_SCHEDULER)):
        return ""
    return f"the scheduler reports nothing from inside ({', '.join(sorted(needed))})"
