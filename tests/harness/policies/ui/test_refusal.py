"""Refusals: code, retry_after, phase and message of each."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.errors import BridgeError, Code
from windtunnel.policies.ui import refusal

SECOND = 1_000_000_000


@pytest.mark.spec("UI-Q5", "UI-Q6", "UI-Q8", "UI-Q10", "UI-Q13")
@pytest.mark.parametrize(
    ("error", "code", "details", "status"),
    [
        (refusal.queue_full(100), Code.RATE_LIMITED, {"retry_after": 3}, 429),
        (refusal.rate_exceeded(10), Code.RATE_LIMITED, {"retry_after": 1}, 429),
        (refusal.not_ready(8 * SECOND), Code.WECHAT_NOT_READY, {"retry_after": 5}, 503),
        (refusal.stopped("queued"), Code.STOPPED, {"phase": "queued"}, 503),
        (refusal.stopped("running"), Code.STOPPED, {"phase": "running"}, 503),
    ],
)
def test_each_reason_has_its_code_and_details(
    error: BridgeError, code: Code, details: dict[str, object], status: int
) -> None:
    assert error.code == code
    assert error.details == details
    assert error.http_status == status


@pytest.mark.spec("UI-Q7")
@given(st.integers(0, 100_000), st.sampled_from(["queued", "running"]))
def test_a_time_out_says_to_retry_after_the_send_delay(
    send_delay_ms: int, phase: refusal.Phase
) -> None:
    error = refusal.timed_out(1, SECOND, send_delay_ms, phase)
    assert error.code == Code.TIMEOUT
    assert error.details == {"retry_after": max(1, send_delay_ms // 1000), "phase": phase}
    assert isinstance(error.details["retry_after"], int)


@pytest.mark.spec("UI-Q7")
@pytest.mark.parametrize(("delay", "retry"), [(0, 1), (999.9, 1), (1999.9, 1), (2000, 2)])
def test_part_of_a_second_does_not_count(delay: float, retry: int) -> None:
    assert refusal.timed_out(0, SECOND, delay, "queued").retry_after == retry


@pytest.mark.spec("UI-Q7")
def test_a_time_out_tells_the_number_pending_and_the_seconds_waited() -> None:
    error = refusal.timed_out(7, 15 * SECOND, 3000, "queued")
    assert "7 pending" in error.message
    assert "15 s" in error.message


@pytest.mark.parametrize(
    ("error", "figure"),
    [
        (refusal.queue_full(42), "42 pending"),
        (refusal.rate_exceeded(17), "more than 17 actions"),
        (refusal.not_ready(12_340_000_000), "12.3 s"),
        (refusal.stopped("queued"), "before the action ran"),
        (refusal.stopped("running"), "while the action ran"),
    ],
)
def test_the_message_gives_the_figure(error: BridgeError, figure: str) -> None:
    assert figure in str(error)
