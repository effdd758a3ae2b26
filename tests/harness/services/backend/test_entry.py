"""Entry: its text in the store says all that another life needs."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.services.backend.answer import Answer
from windtunnel.services.backend.entry import (
    OVER,
    Entry,
    Place,
    answer_from,
    from_text,
    is_json,
    new_entry,
    to_text,
)
from windtunnel.services.wire.task import Task

VALUES = st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.integers(), max_size=2)
TASKS = st.builds(Task, st.text(), st.dictionaries(st.text(), VALUES), st.text())
DEEP: Any = []
for _ in range(100_000):
    DEEP = [DEEP]
OPEN: list[Place] = ["waiting", "sending", "inside", "outside"]


@st.composite
def entries(draw: st.DrawFn) -> Entry:
    entry = new_entry(draw(st.integers(1)), draw(TASKS))
    entry.place = draw(st.sampled_from(OPEN))
    entry.side = draw(st.sampled_from([None, "internal", "external"]))
    entry.request = draw(st.text())
    entry.external, entry.offered = draw(st.booleans()), draw(st.booleans())
    entry.rounds = draw(st.integers(0, 3))
    entry.doubt_inside, entry.doubt_outside = draw(st.booleans()), draw(st.booleans())
    return entry


@pytest.mark.spec("RT-R3")
@given(entries())
def test_what_is_stored_is_what_is_read(entry: Entry) -> None:
    read = from_text(entry.id, entry.place, to_text(entry))
    names = ("number", "task", "place", "side", "external", "offered", "rounds", "request")
    for name in (*names, "doubt_inside", "doubt_outside"):
        assert getattr(read, name) == getattr(entry, name)
    assert read.stored == entry.place
    assert to_text(read) == to_text(entry)
    assert json.loads(to_text(entry))["task"]["body"] == entry.task.body


@pytest.mark.spec("RT-R3")
@given(
    st.builds(Answer, st.text(), st.sampled_from(OVER), VALUES, st.none() | st.text()),
    st.booleans(),
)
def test_so_is_what_became_of_it(answer: Answer, offered: bool) -> None:
    entry = new_entry(1, Task(answer.id))
    entry.answer, entry.offered = answer, offered
    assert (entry.over, new_entry(1, Task(answer.id)).over) == (True, False)
    assert answer_from(answer.id, to_text(entry)) == (answer, offered)


@pytest.mark.parametrize("value", [float("nan"), object(), {1, 2}, DEEP, [float("inf")]])
def test_what_is_no_json_is_refused(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        new_entry(1, Task("t", {"x": value}))
    assert not is_json(value)


@given(VALUES | st.dictionaries(st.text(), VALUES))
def test_what_is_json_is_taken(value: Any) -> None:
    assert is_json(value)
