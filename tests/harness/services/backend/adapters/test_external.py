"""ExternalAdapter: a no with status 200, and no knowledge of the dispatcher."""

from __future__ import annotations

import ast
import inspect
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.ports.network import Response
from windtunnel.services.backend.adapters import adapter, external
from windtunnel.services.backend.adapters.adapter import TaskResult
from windtunnel.services.backend.adapters.external import ExternalAdapter

ANYTHING = st.recursive(
    st.none() | st.integers() | st.text() | st.booleans(),
    lambda inner: st.dictionaries(
        st.sampled_from(["code", "data", "taskId", "status", "msg", "x"]), inner
    ),
)


@pytest.fixture(scope="module")
def platform() -> ExternalAdapter:
    return ExternalAdapter("http://external:443")


def test_where_it_is(platform: ExternalAdapter) -> None:
    assert platform.generate_url() == "http://external:443/task/openapi/create"
    request = platform.query("external-1", "key")
    assert (request.method, request.url) == ("POST", "http://external:443/task/openapi/outputs")
    assert request.body == {"apiKey": "key", "taskId": "external-1"}


@pytest.mark.spec("RT-A3", "F-R25")
@pytest.mark.parametrize(
    ("status", "body", "code", "data"),
    [
        (200, {"code": 0, "msg": "success", "data": {"taskId": "e-1"}}, 0, {"taskId": "e-1"}),
        (200, {"code": 421, "msg": "queue full"}, 421, {}),
        (200, {"code": 0, "data": {}}, -1, {}),
        (200, {"code": 0, "data": {"taskId": 7}}, -1, {}),
        (200, None, -1, {}),
        (502, {"code": 0, "data": {"taskId": "e-1"}}, 502, {}),
    ],
)
def test_the_answer_to_a_submission(
    status: int, body: Any, code: int, data: dict[str, str], platform: ExternalAdapter
) -> None:
    said = platform.success_tasks(Response(status, body))
    assert (said["code"], said["data"]) == (code, data)


@given(st.sampled_from([200, 500]), ANYTHING)
def test_no_answer_is_too_strange(status: int, body: Any) -> None:
    platform = ExternalAdapter("http://e")
    said = platform.success_tasks(Response(status, body))
    assert (said["code"] == 0) == ("taskId" in said["data"])
    platform.task_result(Response(status, body))


@pytest.mark.parametrize(
    ("body", "result"),
    [
        ({"code": 0, "data": {"status": "RUNNING"}}, TaskResult("RUNNING")),
        ({"code": 0, "data": {"status": "SUCCESS", "result": 1}}, TaskResult("SUCCESS", 1)),
        (
            {"code": 0, "data": {"status": "FAILED", "error": "no"}},
            TaskResult("FAILED", None, "no"),
        ),
        ({"code": 807, "msg": "no task"}, TaskResult("UNKNOWN", None, "no task")),
        ({"code": 0, "data": {"status": "ODD"}}, None),
        ({}, None),
    ],
)
def test_what_it_says_of_a_task(
    body: Any, result: TaskResult | None, platform: ExternalAdapter
) -> None:
    assert platform.task_result(Response(200, body)) == result
    assert platform.task_result(Response(503, body)) is None


@pytest.mark.spec("RT-A5")
def test_it_knows_of_no_dispatcher() -> None:
    for module in (external, adapter):
        tree = ast.parse(inspect.getsource(module))
        names = {
            name
            for node in ast.walk(tree)
            for name in (
                [node.module or "", *(alias.name for alias in node.names)]
                if isinstance(node, ast.ImportFrom)
                else [node.id]
                if isinstance(node, ast.Name)
                else []
            )
        }
        assert not [n for n in names if "internal" in n.lower() or "dispatcher" in n.lower()]


@pytest.mark.spec("RT-X2")
@pytest.mark.parametrize("odd", [[1], {}, [], 7, True, None])
def test_a_status_that_is_no_word_says_nothing(odd: Any, platform: ExternalAdapter) -> None:
    assert platform.task_result(Response(200, {"code": 0, "data": {"status": odd}})) is None
