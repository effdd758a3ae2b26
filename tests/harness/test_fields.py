"""Field types: what they read, what they refuse and in which words."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

from windtunnel.event_names import EventName
from windtunnel.fields import (
    ClassRef,
    Duration,
    EachEventRef,
    EventRef,
    Names,
    ObservableRef,
    OneOpRef,
    OpRef,
    SubjectRef,
)
from windtunnel.units import MAX_NS, MS, SECOND, format_duration


class Model(BaseModel):
    """One of each."""

    duration: Duration = 5 * SECOND
    event: EventRef | None = None
    each: EachEventRef | None = None
    classes: list[ClassRef] = []
    ops: dict[str, OpRef] = {}
    one: OneOpRef = "a"
    subject: SubjectRef = "kind:run.ended"
    seen: ObservableRef = "done"


class Asked:
    """Remembers what was asked of it; refuses what is called `no`."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []

    def event(self, name: EventName, *, each: bool) -> None:
        self._ask("event", name.text, each)

    def class_(self, text: str) -> None:
        self._ask("class", text)

    def operation(self, text: str) -> None:
        self._ask("operation", text)

    def one_operation(self, text: str) -> None:
        self._ask("one operation", text)

    def observable(self, text: str) -> None:
        self._ask("observable", text)

    def _ask(self, *what: Any) -> None:
        self.asked.append(what)
        if "no" in what or "no.settled" in what:
            raise ValueError("there is no such thing")


def refusal(data: dict[str, Any], context: object = None) -> str:
    with pytest.raises(ValidationError) as caught:
        Model.model_validate(data, context=context)
    (error,) = caught.value.errors()
    return str(error["msg"])


@given(st.integers(0, MAX_NS))
def test_a_duration_reads_back_what_is_printed(nanoseconds: int) -> None:
    read = Model.model_validate({"duration": format_duration(nanoseconds)})
    assert read.duration == nanoseconds


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        (5, "write 5s or 5ms"),
        (1.5, "write 1.5s or 1.5ms"),
        (True, "such as 800ms, 1.5s or 2min"),
        (None, "such as 800ms"),
        ([1], "such as 800ms"),
        ("5", "'5' is not a duration; write a number with a unit"),
        (float("nan"), "with a unit: such as 800ms"),
        ("5 weeks", "'5 weeks' is not a duration"),
    ],
)
def test_what_is_no_duration_is_refused_with_a_hint(value: Any, hint: str) -> None:
    assert hint in refusal({"duration": value})


def test_a_default_is_in_nanoseconds() -> None:
    assert Model().duration == 5 * SECOND
    assert Model.model_validate({"duration": "800ms"}).duration == 800 * MS


def test_an_event_is_parsed() -> None:
    model = Model.model_validate({"event": "send.2.click_search", "each": "send.settled"})
    assert model.event is not None
    assert (model.event.id, model.event.index, model.event.command) == ("send", 2, "click_search")
    assert model.each is not None
    assert model.each.phase == "settled"


@pytest.mark.parametrize("field", ["event", "each"])
def test_the_form_of_an_event_is_checked_without_a_timeline(field: str) -> None:
    assert "is not the name of an event" in refusal({field: "whenever"})
    assert "is a text, not 5" in refusal({field: 5})
    assert "not a kind of trace event" in refusal({field: "kind:nothing"})


def test_a_subject_is_a_kind_or_an_operation() -> None:
    assert Model.model_validate({"subject": "kind:process.killed"}).subject == "kind:process.killed"
    assert "not a kind of trace event" in refusal({"subject": "kind:nothing"})


def test_every_name_is_resolved_in_the_context() -> None:
    names = Asked()
    assert isinstance(names, Names)
    data = {
        "event": "a.settled",
        "each": "b.settled",
        "classes": ["job"],
        "ops": {"x": "a.1"},
        "one": "a.2",
        "subject": "a",
        "seen": "done",
    }
    Model.model_validate(data, context=names)
    assert names.asked == [
        ("event", "a.settled", False),
        ("event", "b.settled", True),
        ("class", "job"),
        ("operation", "a.1"),
        ("one operation", "a.2"),
        ("operation", "a"),
        ("observable", "done"),
    ]


@pytest.mark.parametrize(
    "data",
    [
        {"event": "no.settled"},
        {"each": "no.settled"},
        {"classes": ["no"]},
        {"ops": {"x": "no"}},
        {"one": "no"},
        {"subject": "no"},
        {"seen": "no"},
    ],
)
def test_what_the_context_refuses_is_refused(data: dict[str, Any]) -> None:
    assert "there is no such thing" in refusal(data, Asked())
    if "no.settled" not in data.values():
        Model.model_validate(data)


def test_another_context_is_passed_over() -> None:
    Model.model_validate({"classes": ["no"]}, context={"anything": 1})


def test_the_schema_says_how_it_is_written() -> None:
    properties = Model.model_json_schema()["properties"]
    assert properties["duration"]["type"] == "string"
    assert properties["classes"]["items"] == {"type": "string"}
