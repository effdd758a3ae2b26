"""The thresholds of a cell: bounds in the metric's unit, and the cells they apply to."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from windtunnel.checks.metrics import METRICS
from windtunnel.scenario.cells import Cell
from windtunnel.units import SECOND

Expand = Callable[..., tuple[Cell, ...]]
Refusals = Callable[..., list[str]]

HEAD = """\
format: 1
name: probe
system: toy
expect: [conservation: {}]
timeline: [{at: 0s, submit: job, id: a, args: {name: x}}]
"""


def one(text: str) -> str:
    return f"thresholds: [{{{text}}}]\n"


def test_what_a_threshold_says(cells: Expand) -> None:
    text = one(
        "metric: wait, of: [job, a], where: {outcome: done, code: 4}, stat: p95, min: 1s, "
        "max: 2.5s, min_samples: 8, because: so it is"
    )
    (threshold,) = cells(HEAD, text)[0].thresholds
    assert (threshold.line, threshold.metric, threshold.stat) == (6, "wait", "p95")
    assert (threshold.of, dict(threshold.where)) == (("job", "a"), {"outcome": "done", "code": "4"})
    assert (threshold.min, threshold.max) == (SECOND, 2_500_000_000)
    assert (threshold.min_samples, threshold.because) == (8, "so it is")


def test_what_it_does_not_say(cells: Expand) -> None:
    (threshold,) = cells(HEAD, one("metric: wait, stat: max, max: 1s"))[0].thresholds
    assert (threshold.of, dict(threshold.where), threshold.min) == ((), {}, None)
    assert (threshold.min_samples, threshold.because) == (1, "")


def test_one_class_may_stand_without_a_list(cells: Expand) -> None:
    (threshold,) = cells(HEAD, one("metric: run, of: job, stat: max, max: 1s"))[0].thresholds
    assert threshold.of == ("job",)


@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_takes_bounds_in_its_own_unit(
    cells: Expand, refusals: Refusals, metric: str
) -> None:
    right, wrong = ("3s", "3") if METRICS[metric].unit == "duration" else ("3", "3s")
    (threshold,) = cells(HEAD, one(f"metric: {metric}, stat: max, max: {right}"))[0].thresholds
    assert threshold.max == (3 * SECOND if right == "3s" else 3.0)
    (told,) = refusals(HEAD, one(f"metric: {metric}, stat: max, max: {wrong}"))
    assert told.endswith(f"(a bound on the max of `{metric}`)")


@pytest.mark.parametrize("metric", METRICS)
def test_a_number_of_samples_is_a_number(cells: Expand, metric: str) -> None:
    (threshold,) = cells(HEAD, one(f"metric: {metric}, stat: count, min: 3"))[0].thresholds
    assert threshold.min == 3.0


@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_takes_the_fields_of_its_samples(
    cells: Expand, refusals: Refusals, metric: str
) -> None:
    said = f"metric: {metric}, stat: count, min: 0"
    for name in METRICS[metric].fields:
        value = "done" if name in ("outcome", "told") else "true"
        (threshold,) = cells(HEAD, one(f"{said}, where: {{{name}: {value}}}"))[0].thresholds
        assert dict(threshold.where) == {name: value}
    (told,) = refusals(HEAD, one(f"{said}, where: {{nonsense: x}}"))
    assert "have no field `nonsense`" in told


@pytest.mark.parametrize("name", ["outcome", "told"])
@pytest.mark.parametrize(("value", "hint"), [("donee", "did you mean `done`"), ("true", "true")])
def test_an_outcome_that_there_is_not(refusals: Refusals, name: str, value: str, hint: str) -> None:
    said = f"metric: wait, stat: count, min: 0, where: {{{name}: {value}}}"
    (told,) = refusals(HEAD, one(said))
    assert "is no outcome" in told
    assert hint in told


def test_values_of_a_cell(cells: Expand) -> None:
    text = "matrix: {most: [1s, 2s]}\n" + one("metric: wait, stat: max, max: $most")
    assert [cell.thresholds[0].max for cell in cells(HEAD, text)] == [SECOND, 2 * SECOND]


def test_outputs_of_the_cases_may_be_bounds(cells: Expand) -> None:
    text = "cases: {inputs: [n], outputs: [most], rows: [[1, 1s], [2, 2s]]}\n"
    found = cells(HEAD, text + one("metric: wait, stat: max, max: $most"))
    assert [cell.thresholds[0].max for cell in found] == [SECOND, 2 * SECOND]


def test_where_it_applies(cells: Expand) -> None:
    text = """\
    world: [sim, real]
    matrix: {policy: [listed, specified]}
    thresholds:
      - {metric: wait, stat: max, max: 1s, when: {policy: listed}}
      - {metric: wait, stat: max, max: 2s, world: real}
    """
    found = {
        (cell.policy, cell.world): [threshold.line for threshold in cell.thresholds]
        for cell in cells(HEAD, text)
    }
    assert found == {
        ("listed", "sim"): [9],
        ("listed", "real"): [9, 10],
        ("specified", "sim"): [],
        ("specified", "real"): [10],
    }
