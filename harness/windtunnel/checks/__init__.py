"""Checks: verdicts over a trace. Importing this package fills the table `CHECKS`."""

from __future__ import annotations

from windtunnel.checks import (
    answer,
    bounded,
    calls,
    conservation,
    count,
    equals,
    event,
    fifo,
    gap,
    happens_before,
    invariant,
    mutual_exclusion,
    no_interleave,
    priority_inversion,
    rate,
)
from windtunnel.checks.base import (
    CHECKS,
    Check,
    CheckArgs,
    CheckResult,
    CheckSpec,
    Context,
    Verdict,
)
from windtunnel.checks.judging import judge

__all__ = [
    "CHECKS",
    "Check",
    "CheckArgs",
    "CheckResult",
    "CheckSpec",
    "Context",
    "Verdict",
    "answer",
    "bounded",
    "calls",
    "conservation",
    "count",
    "equals",
    "event",
    "fifo",
    "gap",
    "happens_before",
    "invariant",
    "judge",
    "mutual_exclusion",
    "no_interleave",
    "priority_inversion",
    "rate",
]
