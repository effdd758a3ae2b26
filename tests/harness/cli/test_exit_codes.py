"""The exit code of a run: one for each verdict, and which of several."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks.base import Verdict
from windtunnel.cli.exit_codes import exit_code


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
