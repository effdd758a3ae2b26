"""Bodies through the whole router alive: every field reaches either platform as it was given."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from router_kit import LiveRouter
from windtunnel.services.wire.addresses import CREATE_PATH, TASK_PATH, path_of
from windtunnel.services.wire.task import OWN_ID, PREFERRED, WEBHOOK, WORK

KEY = "apiKey"
OURS = {KEY, WEBHOOK, OWN_ID, WORK, PREFERRED, "workflow_id", "node_info_list"}
"""Fields of which the body beside them says nothing."""
NAMES = st.text(max_size=8).filter(lambda name: name not in OURS)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)
OBJECTS = st.dictionaries(st.text(max_size=8), VALUES, max_size=3)


def exactly(body: Any, *without: str) -> str:
    """Return a body as text, which tells 1 from 1.0 and from true, less some of its fields."""
    return json.dumps({k: v for k, v in body.items() if k not in without}, sort_keys=True)


@pytest.mark.spec("RT-A2", "RT-A6")
@settings(max_examples=40)
@given(
    workflow=st.text(min_size=1, max_size=8),
    nodes=st.lists(OBJECTS, max_size=3),
    body=st.dictionaries(NAMES, VALUES, max_size=4),
)
def test_any_body_reaches_both_platforms_unchanged(
    workflow: str, nodes: list[Any], body: dict[str, Any]
) -> None:
    live = LiveRouter({"fleet": {"internal": 1, "external": 1}})
    with contextlib.closing(live):
        requests = live.tap()
        first, second = live.submit(2, work="5s", workflow=workflow, nodes=nodes, body=body)
        live.advance(1)
        (inside,) = (one for one in requests if path_of(one.url) == TASK_PATH)
        (outside,) = (one for one in requests if path_of(one.url) == CREATE_PATH)
        said = {**body, "workflow_id": workflow, "node_info_list": nodes}
        for request, id_ in ((inside, first), (outside, second)):
            assert request.body is not None
            assert request.body[OWN_ID] == id_
            assert exactly(request.body, KEY, WEBHOOK, OWN_ID, WORK) == exactly(said)
        assert exactly(inside.body, KEY, OWN_ID) == exactly(outside.body, KEY, OWN_ID)
        assert inside.body is not None
        assert outside.body is not None
        assert inside.body[KEY] != outside.body[KEY]
        assert inside.headers.keys() == outside.headers.keys()
        assert exactly(live.worked_on(first), KEY) == exactly(inside.body, KEY)
        assert exactly(live.worked_on(second)) == exactly(outside.body)
