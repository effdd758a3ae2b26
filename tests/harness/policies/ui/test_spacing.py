"""The delay after an action: the caller's own, none after CRITICAL, else the default."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.policies.ui.priority import Priority
from windtunnel.policies.ui.spacing import contact_delay_ms, delay_after_ms

pytestmark = pytest.mark.spec("UI-Q4")

MS = st.integers(0, 60_000)
CONTACT = st.sampled_from(["ann", "bob", "cyd"])


@given(st.sampled_from(Priority), MS, MS)
def test_the_callers_own_value_wins(priority: Priority, own: int, default: int) -> None:
    assert delay_after_ms(priority, own, default) == own


@given(st.sampled_from(Priority), MS)
def test_without_one_only_critical_has_none(priority: Priority, default: int) -> None:
    expected = 0 if priority is Priority.CRITICAL else default
    assert delay_after_ms(priority, None, default) == expected


def test_the_callers_zero_is_a_value() -> None:
    assert delay_after_ms(Priority.NORMAL, 0, 3000) == 0


@given(CONTACT, CONTACT)
def test_a_second_send_to_a_contact_asks_for_one_second(before: str, to: str) -> None:
    assert contact_delay_ms(before, to) == (1000 if before == to else None)


@given(st.none() | CONTACT)
def test_who_is_for_nobody_has_the_default(before: str | None) -> None:
    assert contact_delay_ms(before, None) is None


def test_the_first_send_has_the_default() -> None:
    assert contact_delay_ms(None, "ann") is None
