"""What the stand-in tells: whose doing it is, what was missed, when the window is there."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from windtunnel.acting import Acting
from windtunnel.canonical import check_event
from windtunnel.trace import Trace
from windtunnel_real.machine.told import Told

SEND = Acting("send.0", "send_text")
BYE = Acting("bye", "logout")


def line(kind: str, resource: str = "", **details: Any) -> dict[str, Any]:
    return {"kind": kind, "resource": resource, "details": details, "at": 1}


@pytest.fixture
def trace() -> Trace:
    return Trace(lambda: 0)


@pytest.fixture
def told(trace: Trace) -> Told:
    async def make() -> Told:
        return Told(trace)

    return asyncio.run(make())


def events(trace: Trace) -> list[tuple[Any, ...]]:
    for event in trace:
        check_event(event)
    return [(e.kind, e.op, e.class_, e.resource, *e.details.values()) for e in trace]


def test_what_is_told_while_a_command_works_is_its_doing(told: Told, trace: Trace) -> None:
    work = told.begin(SEND)
    told.hear(line("message.delivered", "bob", text="hi"))
    told.end(work)
    assert events(trace) == [("message.delivered", "send.0", "send_text", "bob", "hi")]


def test_what_comes_late_is_the_doing_of_who_worked_last(told: Told, trace: Trace) -> None:
    told.hear(line("message.delivered", "eve", text="by hand"))
    told.end(told.begin(SEND))
    told.hear(line("message.delivered", "bob", text="late"))
    assert [event[1:4] for event in events(trace)] == [
        ("nobody", "nobody", "eve"),
        ("send.0", "send_text", "bob"),
    ]


def test_where_two_work_it_is_the_one_that_began_last(told: Told, trace: Trace) -> None:
    told.begin(SEND)
    later = told.begin(BYE)
    told.hear(line("text.misplaced", "menu", text="x"))
    told.end(later)
    told.hear(line("text.misplaced", "menu", text="y"))
    assert [event.op for event in trace] == ["bye", "send.0"]


@pytest.mark.parametrize(
    ("meant", "target", "hit", "missed"),
    [
        ("search", "search", "search", ""),
        ("result", "session:bob", "session:bob", "session"),
        ("send", "send", "empty_box", "empty_box"),
        ("send", "send", "login", "login"),
        ("session:bob", "session:eve", "session:eve", "session"),
        ("session:bob", "session:bob", "session:bob", ""),
        ("nonsense", "nowhere", "nowhere", "nothing"),
    ],
)
def test_a_click_is_held_against_what_it_was_meant_for(
    told: Told, trace: Trace, meant: str, target: str, hit: str, missed: str
) -> None:
    told.begin(SEND, meant)
    told.hear(line("click", target=target, hit=hit))
    found = [(e.resource, e.details["hit"]) for e in trace.of("click.missed")]
    assert found == ([(meant, missed)] if missed else [])


def test_a_click_of_nobodys_is_no_miss(told: Told, trace: Trace) -> None:
    told.hear(line("click", target="send", hit="login"))
    assert not len(trace)


def test_the_window_goes_with_its_process_once(told: Told, trace: Trace) -> None:
    told.hear(line("wechat.shown", "wechat", pid=7))
    assert told.shown.is_set()
    told.gone(7)
    told.gone(7)
    assert not told.shown.is_set()
    assert [event[0] for event in events(trace)] == ["wechat.shown", "wechat.gone"]


def test_the_account_is_known_from_the_first_word(told: Told, trace: Trace) -> None:
    told.meet({"account": "qr", "window": True})
    assert (told.account, told.shown.is_set(), len(trace)) == ("qr", True, 0)
    told.hear(line("wechat.login", "wechat", state="logged_in"))
    assert told.account == "logged_in"
