"""The entry: what the store holds of it is read back as it was."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.services.dispatcher.entry import (
    Assignment,
    Entry,
    new_entry,
    read_assignment,
    read_end,
    read_entry,
)
from windtunnel.services.dispatcher.run import Run

pytestmark = pytest.mark.spec("RT-R2")

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)
BODIES = st.dictionaries(st.text(), VALUES, max_size=4)
COUNTS = st.integers(0, 2**60)


@given(st.text(), BODIES, COUNTS, COUNTS, COUNTS)
def test_for_all_entries_what_is_written_is_read(
    id_: str, body: dict[str, object], now: int, retries: int, attempt: int
) -> None:
    made = new_entry(id_, body, now)
    entry = Entry(id_, made.payload, made.text, now, retries, attempt)
    assert read_entry(id_, entry.value()) == entry
    assignment = Assignment(entry, "inst-0", "bridge-0", now)
    assert read_assignment(id_, assignment.value()) == assignment
    assert assignment.run == Run(id_, attempt)


def test_the_forms_of_the_store() -> None:
    entry = new_entry("t", {"workflow_id": "w", "apiKey": "secret", "x": [1]}, 5)
    payload = {"workflow_id": "w", "x": [1]}
    assert json.loads(entry.value()) == {
        "taskId": "t",
        "payload": payload,
        "submittedAt": 5,
        "retryCount": 0,
        "attempt": 0,
    }
    assert json.loads(Assignment(entry, "i", "b", 7).value()) == {
        "instanceId": "i",
        "bridgeId": "b",
        "startTime": 7,
        "payload": payload,
        "retryCount": 0,
        "attempt": 0,
        "submittedAt": 5,
    }


def test_a_text_that_it_did_not_write_is_an_error() -> None:
    with pytest.raises(ValueError, match="Expecting"):
        read_entry("t", "no JSON")
    with pytest.raises(KeyError):
        read_assignment("t", new_entry("t", {}, 0).value())


@pytest.mark.parametrize(
    ("name", "value"),
    [("payload", []), ("submittedAt", "5"), ("retryCount", None), ("attempt", True)],
)
def test_a_field_of_another_type_is_an_error(name: str, value: object) -> None:
    fields = {**json.loads(new_entry("t", {"x": 1}, 5).value()), name: value}
    with pytest.raises(TypeError, match=f"`{name}` must be"):
        read_entry("t", json.dumps(fields))


def test_the_end_of_a_task_is_kept_as_it_is_written() -> None:
    assert read_end("t", '{"status":"SUCCESS"}') == '{"status":"SUCCESS"}'
    for text in ("[]", '{"status":7}'):
        with pytest.raises(TypeError):
            read_end("t", text)
