"""The task on the wire: its form, and what a platform makes of it."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.services.wire.task import (
    KEY,
    OWN_ID,
    RUNNINGHUB,
    WEBHOOK,
    Task,
    result_of,
    wrong_form,
)


def test_a_task_is_one_of_the_routed_platform_unless_it_says_otherwise() -> None:
    assert Task("t.1").platform == RUNNINGHUB


@pytest.mark.spec("RT-K1")
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ([], "an object, not list"),
        ({}, "`workflow_id`"),
        ({"workflow_id": ""}, "`workflow_id`"),
        ({"workflow_id": 7}, "`workflow_id`"),
        ({"workflow_id": "w", "node_info_list": {}}, "`node_info_list`"),
        ({"workflow_id": "w", "node_info_list": ["node"]}, "`node_info_list`"),
    ],
)
def test_a_task_of_the_wrong_form_is_told_what_is_wrong(body: Any, words: str) -> None:
    assert words in str(wrong_form(body))


@pytest.mark.spec("RT-K1")
def test_fields_that_nobody_knows_are_no_mistake() -> None:
    body = {"workflow_id": "w", "node_info_list": [{"nodeId": "1"}], "seed": None}
    assert wrong_form(body) is None


@pytest.mark.spec("RT-P4")
def test_each_task_has_a_result_of_its_own() -> None:
    one, other = ({OWN_ID: name, "workflow_id": "w"} for name in ("t.1", "t.2"))
    assert result_of(one) == result_of(dict(one))
    assert result_of(one) != result_of(other)


@pytest.mark.spec("RT-P4", "RT-A2")
@pytest.mark.parametrize(
    ("field", "other"), [("seed", "7"), ("seed", 7.0), ("seed", None), ("more", True)]
)
def test_a_field_that_is_lost_or_of_another_type_shows_in_the_result(
    field: str, other: object
) -> None:
    body = {OWN_ID: "t", "workflow_id": "w", "seed": 7}
    assert result_of({**body, field: other}) != result_of(body)


@pytest.mark.spec("RT-A2")
def test_the_result_does_not_hang_on_what_differs_by_platform() -> None:
    body = {"workflow_id": "w", OWN_ID: "t"}
    sent = {KEY: "secret", WEBHOOK: "http://backend:8066/callback", **body}
    assert result_of(sent) == result_of(dict(reversed(body.items())))
