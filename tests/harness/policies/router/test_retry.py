"""The retry: three times, then failed for good."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.policies.router.retry import after_failure

pytestmark = pytest.mark.spec("RT-D4", "F-R16")


@pytest.mark.parametrize(("count", "then"), [(0, 1), (1, 2), (2, 3), (3, None), (4, None)])
def test_the_count_goes_on_up_to_three(count: int, then: int | None) -> None:
    assert after_failure(count) == then


def test_without_retries_the_first_failure_is_final() -> None:
    assert after_failure(0, limit=0) is None


@given(st.integers(0, 12))
def test_a_task_that_always_fails_runs_once_and_once_for_each_retry(limit: int) -> None:
    count: int | None = 0
    runs = 0
    while count is not None:
        runs += 1
        count = after_failure(count, limit)
    assert runs == 1 + limit


def test_a_count_below_zero_is_an_error() -> None:
    with pytest.raises(ValueError, match="0 times or more, not -1"):
        after_failure(-1)
