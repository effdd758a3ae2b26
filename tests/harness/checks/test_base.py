"""The table of checks."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from pydantic import ValidationError

from windtunnel.checks import CHECKS
from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.metrics import METRICS
from windtunnel.trace import Trace

NAMES = {
    "answer",
    "bounded",
    "calls",
    "capacity",
    "conservation",
    "count",
    "delivered_to",
    "drained_before_kill",
    "equals",
    "event",
    "fast_fail",
    "fifo",
    "gap",
    "happens_before",
    "invariant",
    "mutual_exclusion",
    "no_interleave",
    "priority_inversion",
    "rate",
    "sometimes",
    "starvation",
    "transitions",
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


PAGE = Path(__file__).parents[3] / "docs" / "checks.md"


def rows() -> dict[str, str]:
    """Return the rows of the page's tables by the name that each begins with."""
    lines = (line for line in PAGE.read_text().splitlines() if line.startswith("| `"))
    return {line.split("`")[1]: line for line in lines}


def test_the_page_of_checks_names_each_with_its_arguments_and_figure() -> None:
    page = rows()
    assert page.keys() == CHECKS.keys() | METRICS.keys()
    for name, spec in CHECKS.items():
        fields = spec.args.model_fields.items()
        for argument in {field.alias or field_name for field_name, field in fields}:
            assert f"`{argument}`" in page[name], (name, argument)


def test_the_page_of_checks_names_each_metric_with_its_unit_and_fields() -> None:
    page = rows()
    for name, metric in METRICS.items():
        _, _, _, unit, of, where, _ = page[name].split("|")
        assert unit.strip() == metric.unit.replace("_", " ")
        assert of.strip() == metric.of
        assert re.findall("`(.*?)`", where) == list(metric.fields)
