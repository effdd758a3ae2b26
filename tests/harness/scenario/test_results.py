"""Results: the line of a cell, and the exit code of a run."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks.base import Verdict
from windtunnel.scenario.results import CellResult, CheckLine, exit_code

RESULT = CellResult(
    scenario="s",
    file="s.yaml",
    line=3,
    name="s[a=1]",
    cell={"a": 1},
    world="sim",
    policy="specified",
    scheduler=None,
    seed=0,
    verdict=Verdict.FAIL,
    reason="why",
    checks=(CheckLine("count", Verdict.FAIL, 7, "two, not one", (4, 2), 2),),
    digest="00",
)


def test_a_result_line_is_json_and_keeps_its_version() -> None:
    line = json.loads(json.dumps(RESULT.as_json()))
    assert line["v"] == 1
    assert (line["scenario"], line["cell"], line["verdict"]) == ("s", {"a": 1}, "fail")
    assert line["checks"][0]["witness"] == [4, 2]
    assert "trace" not in line


@pytest.mark.parametrize(
    ("verdicts", "also", "code"),
    [
        ([], (), 5),
        ([Verdict.SKIPPED], (), 5),
        ([Verdict.PASS], (), 0),
        ([Verdict.PASS, Verdict.SKIPPED], (), 0),
        ([Verdict.PASS, Verdict.FAIL], (), 1),
        ([Verdict.PASS, Verdict.UNKNOWN], (), 3),
        ([Verdict.PASS, Verdict.VACUOUS], (), 3),
        ([Verdict.ERROR, Verdict.FAIL], (), 70),
        ([Verdict.FAIL], (2,), 2),
        ([Verdict.FAIL], (4,), 1),
        ([Verdict.UNKNOWN], (4,), 4),
        ([Verdict.PASS], (4,), 4),
        ([Verdict.ERROR], (130,), 130),
        ([], (2,), 2),
    ],
)
def test_exit_codes(verdicts: list[Verdict], also: tuple[int, ...], code: int) -> None:
    assert exit_code(verdicts, *also) == code


@given(st.lists(st.sampled_from(list(Verdict)), max_size=6), st.randoms())
def test_only_passes_pass_and_the_order_does_not_matter(
    verdicts: list[Verdict], random: object
) -> None:
    code = exit_code(verdicts)
    passed = {verdict for verdict in verdicts if verdict is not Verdict.SKIPPED} == {Verdict.PASS}
    assert (code == 0) == passed
    assert all(
        exit_code(order) == code
        for order in itertools.permutations(verdicts[:4] or verdicts)
        if sorted(order) == sorted(verdicts)
    )
