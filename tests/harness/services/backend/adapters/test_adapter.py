"""The adapters side by side: the same methods, and bodies that differ in the key alone."""

from __future__ import annotations

import inspect
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.services.backend.adapters.adapter import (
    PlatformAdapter,
    fields_of,
    refusal,
    submission,
    text_of,
)
from windtunnel.services.backend.adapters.external import ExternalAdapter
from windtunnel.services.backend.adapters.internal import InternalAdapter
from windtunnel.services.wire.task import Task

ASKED = (
    "generate_url",
    "header",
    "body",
    "success_tasks",
    "task_result",
    "query_url",
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)
BODIES = st.dictionaries(st.text() | st.sampled_from(["workflow_id", "node_info_list"]), JSON)
OURS = {"apiKey", "webhookUrl", "client_task_id"}


def methods(class_: type) -> dict[str, inspect.Signature]:
    return {
        name: inspect.signature(member)
        for name, member in inspect.getmembers(class_, inspect.isfunction)
        if not name.startswith("_") or name == "__init__"
    }


@pytest.mark.spec("RT-A1")
def test_both_have_the_same_methods_with_the_same_signatures() -> None:
    assert methods(ExternalAdapter) == methods(InternalAdapter)
    assert set(ASKED) <= methods(ExternalAdapter).keys()


@pytest.mark.spec("RT-A1")
def test_both_have_what_the_protocol_says() -> None:
    asked = {name: it for name, it in methods(PlatformAdapter).items() if name != "__init__"}
    theirs = methods(InternalAdapter)
    assert asked == {name: theirs[name] for name in asked}


@pytest.mark.spec("RT-A2")
@given(BODIES, st.text())
def test_the_bodies_differ_in_the_key_alone(body: dict[str, Any], key: str) -> None:
    task = Task("t.1", body)
    external = ExternalAdapter("http://e").body(task, key, "http://b/callback")
    internal = InternalAdapter("http://d").body(task, "a.jwt", "http://b/callback")
    assert external.pop("apiKey") == key
    assert internal.pop("apiKey") == "a.jwt"
    # As text, in which 1, 1.0 and true are three things: types are kept, and so is the order.
    assert json.dumps(external) == json.dumps(internal)
    own = {name: value for name, value in body.items() if name not in OURS}
    assert json.dumps({name: external[name] for name in own}) == json.dumps(own)
    assert external["client_task_id"] == "t.1"


@pytest.mark.spec("RT-A6")
@given(BODIES)
def test_requests_differ_in_url_and_key_alone(body: dict[str, Any]) -> None:
    task = Task("t.1", body)
    external = submission(ExternalAdapter("http://e"), task, "key", "http://b/callback")
    internal = submission(InternalAdapter("http://d"), task, "jwt", "http://b/callback")
    assert external.method == internal.method == "POST"
    assert (external.headers, internal.headers) == ({"apikey": "key"}, {"apikey": "jwt"})
    assert external.body is not None
    assert internal.body is not None
    assert {**external.body, "apiKey": "jwt"} == internal.body


@given(JSON, st.text())
def test_a_refusal_is_never_code_0(code: Any, why: str) -> None:
    said = refusal(code, why)
    assert said["code"] != 0
    assert type(said["code"]) is int
    assert said["data"] == {}
    if type(code) is int and code:
        assert said["code"] == code


def test_anything_but_an_object_has_no_fields() -> None:
    assert fields_of({"a": 1}) == {"a": 1}
    odd: list[Any] = [None, [], "x", 1]
    assert [fields_of(value) for value in odd] == [{}, {}, {}, {}]


def test_texts() -> None:
    assert [text_of(value) for value in (None, "x", 7)] == [None, "x", "7"]
