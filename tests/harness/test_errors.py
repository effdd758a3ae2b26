"""The error tree: one root, the bridge's codes, problems in the order of the file."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel import errors
from windtunnel.errors import (
    HTTP_STATUS,
    BridgeError,
    Code,
    Problem,
    ScenarioError,
    WindtunnelError,
)

ERRORS = [value for value in vars(errors).values() if isinstance(value, type)]


def test_every_error_has_the_one_root() -> None:
    raised = [kind for kind in ERRORS if issubclass(kind, BaseException)]
    assert len(raised) > 5
    assert all(issubclass(kind, WindtunnelError) for kind in raised)


@pytest.mark.spec("UI-Q8", "UI-Q13")
@pytest.mark.parametrize("code", Code)
def test_every_code_has_a_status_that_is_an_error(code: Code) -> None:
    assert 400 <= HTTP_STATUS[code] < 600
    assert BridgeError(code, "no").http_status == HTTP_STATUS[code]


@pytest.mark.spec("UI-Q13")
def test_a_bridge_error_has_code_message_and_details() -> None:
    details = {"retry_after": 3, "phase": "queued"}
    error = BridgeError(Code.TIMEOUT, "too late", details)
    assert (error.code, error.message, error.details) == ("TIMEOUT", "too late", details)
    assert str(error) == "TIMEOUT: too late"
    assert error.retry_after == 3
    error.details["retry_after"] = 9
    assert details["retry_after"] == 3


def test_a_code_of_a_users_own_is_kept() -> None:
    error = BridgeError("OUT_OF_PAPER", "no paper")
    assert (error.code, error.http_status, error.retry_after) == ("OUT_OF_PAPER", 500, None)
    assert type(error.code) is str
    assert type(BridgeError(Code.STOPPED, "").code) is str


@pytest.mark.parametrize("way", [copy.copy, lambda error: pickle.loads(pickle.dumps(error))])  # noqa: S301 - our own
def test_a_bridge_error_can_be_copied_and_sent(way: object) -> None:
    error = BridgeError(Code.TIMEOUT, "too late", {"retry_after": 3})
    again = way(error)  # type: ignore[operator]
    assert (again.code, again.message, again.details) == (error.code, error.message, error.details)


def test_a_problem_is_one_line_that_editors_understand() -> None:
    assert str(Problem("a.yaml", 3, 7, "no")) == "a.yaml:3:7: error: no"


PLACES = st.tuples(st.sampled_from(["a.yaml", "b.yaml"]), st.integers(1, 9), st.integers(1, 9))


@given(st.lists(PLACES, min_size=1))
def test_a_scenario_error_tells_each_problem_once_in_order(
    places: list[tuple[str, int, int]],
) -> None:
    error = ScenarioError([Problem(*place, "no") for place in places])
    assert [(p.file, p.line, p.column) for p in error.problems] == sorted(set(places))
    assert str(error).splitlines() == [str(problem) for problem in error.problems]
