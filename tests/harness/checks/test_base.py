"""The table of checks."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from windtunnel.checks import CHECKS
from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.trace import Trace

NAMES = {
    "answer",
    "bounded",
    "conservation",
    "count",
    "equals",
    "event",
    "fifo",
    "gap",
    "happens_before",
    "invariant",
    "mutual_exclusion",
    "no_interleave",
    "priority_inversion",
    "rate",
}


def test_importing_the_package_fills_the_table() -> None:
    assert CHECKS.keys() >= NAMES
    assert all(name == spec.name for name, spec in CHECKS.items())
    assert [spec.name for spec in CHECKS.values() if spec.always] == ["conservation"]


def test_a_name_is_registered_once() -> None:
    def other(trace: Trace, args: CheckArgs, context: Context) -> CheckResult:
        return CheckResult(Verdict.PASS)

    with pytest.raises(ValueError, match="fifo"):
        register("fifo", CheckArgs)(other)
    assert CHECKS["fifo"].check is not other


def test_arguments_refuse_what_they_do_not_know_and_stay_as_they_are() -> None:
    with pytest.raises(ValidationError):
        CHECKS["fifo"].args.model_validate({"wthin": "all"})
    args = CHECKS["fifo"].args()
    with pytest.raises(ValidationError):
        args.within = "all"  # type: ignore[attr-defined]
