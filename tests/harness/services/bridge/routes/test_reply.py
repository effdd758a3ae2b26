"""Replies: what errors become."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.errors import HTTP_STATUS, BridgeError, Code
from windtunnel.services.bridge.routes import reply


@pytest.mark.spec("UI-Q13", "UI-Q8")
@given(st.sampled_from(sorted(Code)), st.none() | st.integers(1, 99))
def test_a_bridge_error_keeps_its_code_status_and_retry_after(code: str, after: int | None) -> None:
    details = {} if after is None else {"retry_after": after}
    answer = reply.of_error(BridgeError(code, "no", details))
    assert (answer.status, answer.code, answer.retry_after) == (HTTP_STATUS[code], code, after)
    assert answer.body == {"code": code, "message": "no", **details}


@pytest.mark.spec("UI-AC4")
def test_a_time_out_of_a_program_is_a_time_out() -> None:
    answer = reply.of_error(TimeoutError("scrot gave no picture"))
    assert (answer.status, answer.code) == (504, Code.TIMEOUT)
    assert answer.body["message"] == "scrot gave no picture"
    assert reply.of_error(TimeoutError()).body["message"]


def test_any_other_error_shows_its_type_alone() -> None:
    answer = reply.of_error(ValueError("secret"))
    assert (answer.status, answer.code) == (500, "INTERNAL")
    assert "secret" not in str(answer.body)


@pytest.mark.parametrize("details", [{"retry_after": 7}, None, "soon"])
def test_an_error_of_anybodys_scheduler_is_understood_by_its_code(details: object) -> None:
    error = RuntimeError("no room")
    error.code, error.details = "QUEUE_FULL", details  # type: ignore[attr-defined]
    answer = reply.of_error(error)
    wanted = 7 if isinstance(details, dict) else None
    assert (answer.status, answer.code, answer.retry_after) == (429, "QUEUE_FULL", wanted)


@pytest.mark.parametrize("code", ["EBUSY", 5, None])
def test_a_code_that_no_bridge_has_is_an_internal_error(code: object) -> None:
    error = RuntimeError("secret")
    error.code = code  # type: ignore[attr-defined]
    assert (reply.of_error(error).status, reply.of_error(error).code) == (500, "INTERNAL")


def test_a_good_one_has_no_code() -> None:
    assert reply.good({"ok": True}) == reply.Reply(200, {"ok": True})
