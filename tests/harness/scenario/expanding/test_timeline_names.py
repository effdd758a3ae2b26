"""Names of a timeline: what exists in it, and what is said of what does not."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.event_names import parse_event_name
from windtunnel.fields import Names
from windtunnel.scenario.expanding.timeline_names import (
    UNKNOWN_REPEAT,
    EntryName,
    TimelineNames,
    entry_name,
    fault_name,
)

ENTRIES = (
    EntryName("a", "submit", "job", None),
    EntryName("many", "submit", "ping", 3),
    EntryName("desk", "call", "desk.job", None),
)


@pytest.mark.parametrize(
    ("data", "name"),
    [
        ({"submit": "job"}, EntryName("job", "submit", "job", None)),
        ({"call": "desk.job"}, EntryName("desk_job", "call", "desk.job", None)),
        ({"submit": "job", "id": "a", "repeat": 3}, EntryName("a", "submit", "job", 3)),
        ({"submit": "job", "repeat": "x"}, EntryName("job", "submit", "job", UNKNOWN_REPEAT)),
        ({"submit": "job", "repeat": True}, EntryName("job", "submit", "job", UNKNOWN_REPEAT)),
        ({"submit": "job", "id": None}, EntryName("job", "submit", "job", None)),
        ({"submit": 3}, None),
        ({"submit": "job", "id": 3}, None),
        ({"submit": "job", "call": "x"}, None),
        ({}, None),
    ],
)
def test_what_others_can_name(data: dict[str, Any], name: EntryName | None) -> None:
    assert entry_name(data) == name


@pytest.fixture
def names(toy: Any) -> TimelineNames:
    return TimelineNames(ENTRIES, toy, toy.given(), frozenset())


def refused(names: TimelineNames, text: str, *, each: bool = False) -> str:
    with pytest.raises(ValueError, match=r".") as caught:
        names.event(parse_event_name(text), each=each)
    return str(caught.value)


def test_an_observed_value_hides_a_variable_of_its_name(toy: Any) -> None:
    observed = next(iter(toy.observables))
    names = TimelineNames(ENTRIES, toy, toy.given(), frozenset({observed, "tasks"}))
    assert names.variables == {"tasks"}


def test_it_is_what_fields_ask(names: TimelineNames) -> None:
    assert isinstance(names, Names)


@pytest.mark.parametrize(
    "text",
    [
        *("a.settled", "a.0.settled", "a.open", "a.work#2", "a.0.work.begin", "kind:run.ended"),
        *("many.0.settled", "many.2.queued", "desk.settled", "desk.work#2"),
    ],
)
def test_events_that_can_happen(names: TimelineNames, text: str) -> None:
    names.event(parse_event_name(text), each=False)


def test_a_phase_of_each(names: TimelineNames) -> None:
    names.event(parse_event_name("many.settled"), each=True)
    assert "is a repeat" in refused(names, "many.settled")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("b.settled", "no entry of the timeline has the id `b`"),
        ("meny.0.settled", "did you mean `many`?"),
        ("a.1.settled", "`a` is one operation, not a repeat; write a.settled"),
        ("many.3.settled", "`many` has no operation 3: the last of 3 is many.2"),
        ("a.opne", "`job` has no command or phase `opne`; did you mean `open`?"),
        ("a.setled", "did you mean `settled`?"),
        ("a.open#2", "`job` runs `open` 1 time, so there is no #2"),
        ("many.0.open", "`ping` has no command or phase `open`, for it runs no commands here"),
    ],
)
def test_events_that_cannot(names: TimelineNames, text: str, message: str) -> None:
    assert message in refused(names, text)


def test_a_command_of_each_is_refused(names: TimelineNames) -> None:
    assert "is a repeat" in refused(names, "many.open", each=True)


def test_commands_are_not_looked_into_where_given_is_wrong(toy: Any) -> None:
    TimelineNames(ENTRIES, toy, None, frozenset()).event(parse_event_name("a.opne"), each=False)


@pytest.mark.parametrize("text", ["job", "ping", "desk.job"])
def test_classes(names: TimelineNames, text: str) -> None:
    names.class_(text)
    names.operation(text)


@pytest.mark.parametrize("text", ["a", "many", "many.2", "a.0"])
def test_operations_are_no_classes(names: TimelineNames, text: str) -> None:
    names.operation(text)
    with pytest.raises(ValueError, match="has the class"):
        names.class_(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("jbo", "has the class or id `jbo`; did you mean `job`?"),
        ("clock.stop", "nothing in the timeline submits or calls `clock.stop`"),
        ("many.3", "has no operation 3"),
        ("a.1", "is one operation"),
        ("b.1", "has the class or id `b.1`"),
        ("", "has the class or id ``"),
    ],
)
def test_no_such_operation(names: TimelineNames, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        names.operation(text)
    assert message in str(caught.value)


def test_classes_that_services_submit_of_themselves(toy: Any) -> None:
    toy.background = lambda given: {"sweep"}
    names = TimelineNames(ENTRIES, toy, toy.given(), frozenset())
    names.class_("sweep")
    with pytest.raises(ValueError, match="sweep"):
        TimelineNames(ENTRIES, toy, None, frozenset()).class_("sweep")


@pytest.fixture
def more(toy: Any) -> TimelineNames:
    """Names of a cell with faults, a batch and a loop in the background."""
    entries = (*ENTRIES, EntryName("all", "call", "desk.batch", None))
    faults = (fault_name({"id": "out"}, 0, 3), fault_name({}, 1, 4))
    return TimelineNames(entries, toy, toy.given(mode="fast"), frozenset(), faults)


@pytest.mark.parametrize(
    "text",
    [
        *("out.injected", "out.affected", "out.undone", "fault-1.undone"),
        *("all.0.settled", "all.7.started", "all.2.work", "all.settled"),
        *("sweeper.3.settled", "sweeper.0.work", "desk.requested"),
    ],
)
def test_faults_batches_and_loops_have_events(more: TimelineNames, text: str) -> None:
    more.event(parse_event_name(text), each=False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("out.settled", "the fault `out` is never `settled`"),
        ("out.work", "the fault `out` is never `work`"),
        ("out.0.undone", "`out` is a fault, not a repeat; write out.undone"),
        ("fault-0.undone", "has the id `fault-0`; did you mean `fault-1`?"),
        ("a.undone", "`a` is no fault, so it is never `undone`"),
        ("a.requested", "`a` is a submission, which no request is made for"),
        ("sweeper.settled", "no entry of the timeline has the id `sweeper`"),
        ("desk.1.settled", "`desk` is one operation, not a repeat"),
    ],
)
def test_what_they_have_not(more: TimelineNames, text: str, message: str) -> None:
    assert message in refused(more, text)


def test_operations_of_batches_and_loops(more: TimelineNames) -> None:
    for text in ("all.3", "sweeper.4", "sweeper"):
        more.operation(text)


def test_observables(names: TimelineNames) -> None:
    names.observable("done")
    names.observable("by_class.job")
    with pytest.raises(ValueError, match="`toy` has no observable `doen`; did you mean `done`"):
        names.observable("doen.x")


@pytest.mark.parametrize("text", ["a", "desk", "many.0", "many.2"])
def test_one_operation_is_named(names: TimelineNames, text: str) -> None:
    names.one_operation(text)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("many", "`many` has 3 operations: say which, such as many.0"),
        ("many.3", "`many` has no operation 3: the last of 3 is many.2"),
        ("a.0", "`a` is one operation, not a repeat"),
        ("a.x", "`a.x` is no operation: write ID or ID.N"),
        ("job", "no entry of the timeline has the id `job`"),
        ("mny", "did you mean `many`?"),
    ],
)
def test_several_or_none_are_not_one(names: TimelineNames, text: str, told: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        names.one_operation(text)
    assert told in str(caught.value)


def test_of_a_repeat_that_is_wrong_itself_the_number_is_not_told(toy: Any) -> None:
    entries = (EntryName("many", "submit", "ping", UNKNOWN_REPEAT),)
    names = TimelineNames(entries, toy, toy.given(), frozenset())
    with pytest.raises(ValueError, match="`many` has several operations"):
        names.one_operation("many")
    names.one_operation("many.70000")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("done.much", "`done` is one value, without parts"),
        ("by_class.jb", "`by_class` has no `jb`; did you mean `job`?"),
        ("by_class.job.any.more", "`by_class.job.any` is one value, without parts"),
        ("doen.x", "no observable `doen`"),
    ],
)
def test_parts_of_observables_are_looked_up(
    toy: Any, monkeypatch: pytest.MonkeyPatch, text: str, told: str
) -> None:
    parts = {"done": (), "by_class": (frozenset({"job", "ping"}), None)}
    monkeypatch.setattr(type(toy), "observable_parts", parts, raising=False)
    names = TimelineNames(ENTRIES, toy, toy.given(), frozenset())
    for fine in ("done", "by_class", "by_class.job", "by_class.job.any", "waiting.anything"):
        names.observable(fine)
    with pytest.raises(ValueError, match=r".") as caught:
        names.observable(text)
    assert told in str(caught.value)
