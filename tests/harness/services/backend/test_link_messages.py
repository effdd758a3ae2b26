"""The link's messages: what fits, and what a report says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from care_kit import report
from windtunnel.services.backend.link_messages import read_report, unfit
from windtunnel.services.backend.link_state import Capacity
from windtunnel.services.wire.messages import message

EXAMPLE = {
    "totalBridges": 2,
    "totalInstances": 8,
    "onlineInstances": 6,
    "busyInstances": 2,
    "availableCapacity": 4,
}


@pytest.mark.spec("RT-W4")
def test_the_documents_example_is_read() -> None:
    """6 online, the 2 busy ones among them: 4 available."""
    read = read_report({"bridges": [], "summary": EXAMPLE, "seen": 3, "sequence": 9}, 77)
    assert read is not None
    assert read.capacity == Capacity(6, 2, 4, 77)
    assert read.sequence == 9


@pytest.mark.spec("RT-W4", "RT-W6")
@given(st.integers(-1, 6), st.integers(-1, 6), st.integers(-1, 6), st.integers(-1, 3))
def test_for_all_counts_a_report_is_read_when_they_can_be(
    online: int, busy: int, available: int, sequence: int
) -> None:
    summary = {"onlineInstances": online, "busyInstances": busy, "availableCapacity": available}
    read = read_report({"bridges": [], "summary": summary, "sequence": sequence}, 5)
    can_be = min(online, busy, available, sequence) >= 0 and max(busy, available) <= online
    assert (read is not None) is can_be
    if read is not None:
        assert read.capacity == Capacity(online, busy, available, 5)


@pytest.mark.spec("RT-W6")
@pytest.mark.parametrize(
    ("given_", "expected"),
    [
        (report(4, 1, 1), None),
        (message("HEARTBEAT_ACK"), None),
        (message("CONNECT_ACK", serverId="message-dispatcher"), None),
        (message("INSTANCE_BUSY", taskId="t"), None),
        (message("HEARTBEAT"), "unknown"),
        (message("capacity_update"), "unknown"),
        ({"type": "SING"}, "unknown"),
        ({"type": "HEARTBEAT_ACK"}, "broken"),
        ({"type": None, "data": {}}, "broken"),
        ({}, "broken"),
        (None, "broken"),
        ("HEARTBEAT_ACK", "broken"),
    ],
)
def test_what_is_unfit_is_told(given_: Any, expected: str | None) -> None:
    assert unfit(given_) == expected
