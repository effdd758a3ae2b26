"""Names of events: the grammar, and what each name means in a trace."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.event_names import ID_PATTERN, PHASES, EventName, EventNameError, parse_event_name
from windtunnel.kinds import KINDS
from windtunnel.trace import Event

IDS = st.from_regex(ID_PATTERN, fullmatch=True).filter(str.isascii)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("kind:window.opened", EventName("", kind="window.opened")),
        ("bye.settled", EventName("", id="bye", phase="settled")),
        ("outage.undone", EventName("", id="outage", phase="undone")),
        ("fault-0.injected", EventName("", id="fault-0", phase="injected")),
        ("send.2.started", EventName("", id="send", index=2, phase="started")),
        ("send.click_search", EventName("", id="send", command="click_search")),
        (
            "send.0.click_search.begin",
            EventName("", "", "send", 0, command="click_search", begin=True),
        ),
        ("send.2.key_down#2", EventName("", id="send", index=2, command="key_down", nth=2)),
        (
            "a-b_c.key_down#2.begin",
            EventName("", "", "a-b_c", command="key_down", nth=2, begin=True),
        ),
    ],
)
def test_the_grammar(text: str, name: EventName) -> None:
    parsed = parse_event_name(text)
    assert parsed.text == text
    assert parsed == EventName(
        text, name.kind, name.id, name.index, name.phase, name.command, name.begin, name.nth
    )


@pytest.mark.parametrize(
    "text",
    [
        *("", "send", ".settled", "send.", "9send.settled", "send.1", "send.-1.settled"),
        *("send.Settled", "send.click#0", "send.click#", "send..settled", "send.settled "),
        *("kind:coffee.made", "kind:", "send.settled.begin", "send.settled#2"),
    ],
)
def test_what_is_no_name(text: str) -> None:
    with pytest.raises(EventNameError):
        parse_event_name(text)


@given(IDS, st.none() | st.integers(0, 10**9 - 1), st.sampled_from(sorted(PHASES)))
def test_a_phase_matches_its_kinds_of_that_operation_alone(
    stem: str,
    index: int | None,
    phase: str,
) -> None:
    name = parse_event_name(".".join([stem, *([] if index is None else [str(index)]), phase]))
    op = stem if index is None else f"{stem}.{index}"
    for kind in KINDS:
        assert name.matches(Event(0, 0, kind, op=op)) == (kind in PHASES[phase])
        assert not name.matches(Event(0, 0, kind, op=f"{op}x"))


def test_the_first_of_a_repeat_may_stand_for_the_bare_id() -> None:
    event = Event(0, 0, "action.started", op="send")
    assert parse_event_name("send.0.started").matches(event)
    assert not parse_event_name("send.1.started").matches(event)
    indexed = event._replace(op="send.0")
    assert not parse_event_name("send.started").matches(indexed)


def command(name: str, op: str, kind: str = "command.ended") -> Event:
    return Event(0, 0, kind, op=op, details={"command": name, "step": 0})


def test_a_command_means_its_end_or_its_begin() -> None:
    end, begin = command("key", "a"), command("key", "a", "command.started")
    name = parse_event_name("a.key")
    assert (name.matches(end), name.matches(begin)) == (True, False)
    name = parse_event_name("a.key.begin")
    assert (name.matches(end), name.matches(begin)) == (False, True)
    assert not name.matches(command("other", "a", "command.started"))


@given(st.lists(st.sampled_from(["key", "click"]), max_size=8), st.integers(1, 4))
def test_the_nth_of_several(names: list[str], nth: int) -> None:
    events = [command(name, "a")._replace(seq=seq) for seq, name in enumerate(names)]
    found = parse_event_name(f"a.key#{nth}").find(events)
    keys = [event for event in events if event.details["command"] == "key"]
    assert found == (keys[nth - 1] if nth <= len(keys) else None)


def test_a_kind_means_its_first_event() -> None:
    events = [Event(seq, seq, kind) for seq, kind in enumerate(["window.closed", "run.ended"] * 2)]
    assert parse_event_name("kind:run.ended").find(events) == events[1]
    assert parse_event_name("kind:window.opened").find(events) is None
