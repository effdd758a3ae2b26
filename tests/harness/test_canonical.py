"""The canonical form: a line for an event, an event for a line, a digest for all."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.canonical import check_event, digest, from_json, lines, to_json
from windtunnel.errors import TraceError
from windtunnel.kinds import KINDS
from windtunnel.trace import Event, Outcome

TEXT = st.text(max_size=5)
VALUES = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXT
)


@st.composite
def events(draw: st.DrawFn) -> Event:
    """An event that obeys its row of the table."""
    name = draw(st.sampled_from(sorted(KINDS)))
    kind = KINDS[name]
    said: dict[str, Any] = {
        field: draw(st.text(min_size=1, max_size=5)) for field in kind.fields if field != "outcome"
    }
    if "outcome" in kind.fields:
        said["outcome"] = draw(st.sampled_from(Outcome.ALL))
    details = {
        key.rstrip("?"): draw(VALUES)
        for key in kind.details
        if not key.endswith("?") or draw(st.booleans())
    }
    return Event(draw(st.integers(0, 2**53)), draw(st.integers(0)), name, **said, details=details)


@given(events())
def test_a_line_reads_back(event: Event) -> None:
    line = to_json(event)
    assert line.isascii()
    assert "\n" not in line
    assert from_json(line) == event
    check_event(event)


def test_empty_fields_are_left_out_and_keys_sorted() -> None:
    event = Event(5, 1, "action.started", op="a", class_="like")
    assert to_json(event) == '{"class":"like","kind":"action.started","op":"a","seq":1,"t":5}'


def test_the_order_of_details_makes_no_difference() -> None:
    first = Event(0, 0, "command.started", details={"command": "a", "step": 0})
    second = Event(0, 0, "command.started", details={"step": 0, "command": "a"})
    assert to_json(first) == to_json(second)


def test_what_json_cannot_say_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        to_json(Event(0, 0, "window.closed", details={"x": float("nan")}))


@given(st.lists(events(), max_size=5), st.lists(events(), max_size=5))
def test_digests_are_equal_exactly_when_the_lines_are(one: list[Event], two: list[Event]) -> None:
    assert (digest(one) == digest(two)) == (list(lines(one)) == list(lines(two)))
    assert digest(one) == digest(one)


def test_a_digest_is_sha256_of_the_lines() -> None:
    import hashlib

    event = Event(0, 0, "window.closed")
    assert digest([event]) == hashlib.sha256("".join(lines([event])).encode()).hexdigest()
    assert digest([]) == hashlib.sha256(b"").hexdigest()


DETAILS = '{"t":0,"seq":0,"kind":"window.closed","details":5}'
STARTED = Event(0, 3, "action.started", op="a", class_="like")


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (STARTED._replace(kind="coffee.made"), "'coffee.made' is not a kind"),
        (STARTED._replace(op=""), r"event 3 \(action.started\) lacks op"),
        (STARTED._replace(details={"more": 1}), r"has unknown more"),
        (STARTED._replace(outcome="well"), "has no outcome 'well'"),
        (STARTED._replace(kind="drain.ended", actor="s"), "lacks drained"),
    ],
)
def test_an_event_that_breaks_its_row(event: Event, why: str) -> None:
    with pytest.raises(TraceError, match=why):
        check_event(event)


@pytest.mark.parametrize(
    "line",
    ["", "no json", "[]", "7", '{"t":1}', '{"t":"x","seq":0,"kind":"window.closed"}', DETAILS],
)
def test_what_is_no_line_of_a_trace(line: str) -> None:
    with pytest.raises(TraceError, match="not a trace event"):
        from_json(line)
