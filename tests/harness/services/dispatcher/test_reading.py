"""The reading of messages: what is broken is said to be so, and nothing else happens."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.services.dispatcher import reading
from windtunnel.services.dispatcher.run import Result, Run

pytestmark = pytest.mark.spec("RT-W6")

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "data", "taskId", "instanceId", "attempt", "instances"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@given(ANYTHING)
def test_for_all_messages_they_are_read_or_broken(anything: Any) -> None:
    """Whatever comes, no other error."""
    try:
        type_, data = reading.opened(anything)
    except reading.BrokenMessageError:
        return
    assert type_
    for read in (reading.said_by, lambda data: reading.result_in("DONE", data, "b")):
        with suppress(reading.BrokenMessageError):
            read(data)


def test_what_instances_have() -> None:
    named = [
        {"instanceId": "a", "taskId": None, "attempt": None},
        {"instanceId": "b", "taskId": "t", "attempt": 2},
    ]
    assert reading.said_by({"instances": named}) == [("a", None), ("b", Run("t", 2))]


def test_results() -> None:
    data = {"taskId": "t", "instanceId": "i", "attempt": 1}
    assert reading.result_in("DONE", {**data, "result": "r"}, "b") == Result(
        Run("t", 1), "i", "b", ok=True, result="r"
    )
    assert reading.result_in("FAILED", {**data, "error": "e"}, "b") == Result(
        Run("t", 1), "i", "b", ok=False, error="e"
    )


@pytest.mark.parametrize(
    "data",
    [
        {"taskId": "", "instanceId": "i", "attempt": 1},
        {"taskId": "t", "instanceId": "i", "attempt": True},
        {"taskId": "t", "instanceId": "i", "attempt": "1"},
        {"taskId": "t", "attempt": 1},
    ],
)
def test_a_result_that_lacks_something_is_broken(data: dict[str, Any]) -> None:
    with pytest.raises(reading.BrokenMessageError, match="must be"):
        reading.result_in("DONE", data, "b")
