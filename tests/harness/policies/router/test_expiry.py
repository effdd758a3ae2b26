"""The expiry: a pending task older than half an hour."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.policies.router.expiry import PENDING_LIFE, expired
from windtunnel.policies.router.router_options import LISTED, RouterOptions
from windtunnel.units import HOUR, MINUTE

AGES = st.integers(0, 24 * HOUR)


@pytest.mark.spec("RT-D6")
def test_a_task_expires_when_it_is_older_than_half_an_hour() -> None:
    assert not expired(5, 5 + 30 * MINUTE, options=RouterOptions())
    assert expired(5, 6 + 30 * MINUTE, options=RouterOptions())


@pytest.mark.spec("RT-D6")
@given(AGES, AGES, AGES)
def test_only_the_age_counts(submitted: int, age: int, limit: int) -> None:
    now = submitted + age
    assert expired(submitted, now, limit, options=RouterOptions()) == (age > limit)


@pytest.mark.spec("F-R2")
@given(AGES)
def test_as_listed_none_expires(age: int) -> None:
    assert not expired(0, age + PENDING_LIFE, options=RouterOptions(**LISTED))
