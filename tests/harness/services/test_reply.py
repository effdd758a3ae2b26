"""Replies: what errors become."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.errors import HTTP_STATUS, BridgeError, Code
from windtunnel.services import reply


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


def test_a_good_one_has_no_code() -> None:
    assert reply.good({"ok": True}) == reply.Reply(200, {"ok": True})
