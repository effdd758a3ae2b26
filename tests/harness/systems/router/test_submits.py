"""The submissions: the task that an operation's arguments make."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from windtunnel.services.wire.task import RUNNINGHUB, Task, wrong_form
from windtunnel.systems.router.submits import TaskArgs, task_of
from windtunnel.units import SECOND

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def test_a_task_needs_no_arguments() -> None:
    body = {"workflow_id": "w", "node_info_list": [], "work_ns": SECOND}
    assert task_of("t", None) == Task("t", body, RUNNINGHUB) == task_of("t", TaskArgs())


def test_every_argument_is_in_the_task() -> None:
    args = TaskArgs.model_validate(
        {"work": "3s", "workflow": "v", "nodes": [{"id": 1}], "preferred": "inst-2"}
    )
    assert task_of("t.1", args).body == {
        "workflow_id": "v",
        "node_info_list": [{"id": 1}],
        "work_ns": 3 * SECOND,
        "preferred_instance": "inst-2",
    }
    assert task_of("t", TaskArgs(platform="liblib")).platform == "liblib"


@given(st.dictionaries(st.text(), JSON, max_size=4))
@pytest.mark.spec("RT-A2")
def test_further_fields_are_there_as_they_are(body: dict[str, Any]) -> None:
    made = task_of("t", TaskArgs(body=body)).body
    assert {key: made[key] for key in body} == body


@pytest.mark.spec("RT-K1")
@pytest.mark.parametrize("wrong", [{"workflow": ""}, {"body": {"workflow_id": 3}}, {"nodes": [1]}])
def test_a_task_of_the_wrong_form_can_be_made(wrong: dict[str, Any]) -> None:
    assert wrong_form(task_of("t", TaskArgs(**wrong)).body) is not None
    assert wrong_form(task_of("t", None).body) is None


@pytest.mark.parametrize(
    "said", [{"work": 1}, {"preferred": "inst"}, {"platform": ""}, {"prefered": "inst-0"}]
)
def test_a_slip_is_refused(said: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        TaskArgs.model_validate(said)
