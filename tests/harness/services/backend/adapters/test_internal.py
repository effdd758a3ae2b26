"""InternalAdapter: the dispatcher's answers in the external platform's form."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.ports.network import Response
from windtunnel.services.backend.adapters.adapter import TaskResult
from windtunnel.services.backend.adapters.internal import InternalAdapter, counted_from


@pytest.fixture(scope="module")
def platform() -> InternalAdapter:
    return InternalAdapter("http://dispatcher:4000")


@pytest.mark.spec("RT-A4")
def test_where_it_is(platform: InternalAdapter) -> None:
    assert platform.generate_url() == "http://dispatcher:4000/api/task"
    request = platform.query("md-t 1&x", "jwt")
    assert request.url == "http://dispatcher:4000/api/task?requestId=md-t%201%26x"
    assert (request.method, request.body, request.headers) == ("GET", None, {"apikey": "jwt"})


@pytest.mark.spec("RT-A3")
@given(request=st.text(min_size=1), task=st.text())
def test_success_is_mapped(request: str, task: str) -> None:
    body = {"success": True, "data": {"requestId": request, "taskId": task}}
    said = InternalAdapter("http://d").success_tasks(Response(200, body))
    assert said == {"msg": "success", "code": 0, "data": {"taskId": request}}


@pytest.mark.spec("RT-A3")
@pytest.mark.parametrize(
    ("status", "body", "code"),
    [
        (429, {"success": False, "code": 429, "error": "queue full"}, 429),
        (503, {"success": False, "code": 5001, "error": "store"}, 5001),
        (503, None, 503),
        (200, {"success": False, "code": 0, "error": "odd"}, 200),
        (200, {"success": True, "data": {}}, -1),
        (200, {"success": 1, "data": {"requestId": "md-t"}}, 200),
        (500, {"success": True, "data": {"requestId": "md-t"}}, 500),
    ],
)
def test_a_failure_has_a_code(status: int, body: Any, code: int, platform: InternalAdapter) -> None:
    said = platform.success_tasks(Response(status, body))
    assert (said["code"], said["data"]) == (code, {})


@pytest.mark.parametrize(
    ("status", "known"),
    [
        ("PENDING", "RUNNING"),
        ("RUNNING", "RUNNING"),
        ("SUCCESS", "SUCCESS"),
        ("FAILED", "FAILED"),
        ("EXPIRED", "EXPIRED"),
        ("OFFERED", "OFFERED"),
        ("UNKNOWN", "UNKNOWN"),
    ],
)
def test_what_it_says_of_a_task(status: str, known: Any, platform: InternalAdapter) -> None:
    said = {"success": True, "data": {"status": status, "result": 1, "error": "e"}}
    assert platform.task_result(Response(200, said)) == TaskResult(known, 1, "e")
    assert platform.task_result(Response(401, said)) is None


def test_an_odd_answer_says_nothing(platform: InternalAdapter) -> None:
    odd: list[Any] = [None, {}, {"success": True}, {"success": True, "data": {"status": "ODD"}}]
    for body in odd:
        assert platform.task_result(Response(200, body)) is None


@pytest.mark.spec("RT-S4")
def test_from_which_report_on_a_task_counts() -> None:
    assert counted_from(Response(200, {"data": {"report": 7}})) == 7
    odd: list[Any] = [None, {}, {"data": {}}, {"data": {"report": "7"}}, {"data": {"report": True}}]
    for body in odd:
        assert counted_from(Response(200, body)) is None


@pytest.mark.spec("RT-X2")
@pytest.mark.parametrize("odd", [[1], {}, [], 7, True, None])
def test_a_status_that_is_no_word_says_nothing(odd: Any, platform: InternalAdapter) -> None:
    assert platform.task_result(Response(200, {"success": True, "data": {"status": odd}})) is None
