"""The screen: what lies over what, drafts per session, the list of sessions, a fresh start."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.wechat.screen import OLDEST_SESSIONS, Screen
from windtunnel_models.access import AccessLog


@pytest.fixture
def screen() -> Screen:
    return Screen(AccessLog(), window=True, raised=True, login="logged_in")


@pytest.mark.parametrize(
    ("parts", "over", "top"),
    [
        ({}, "", ""),
        ({"popup": True}, "", "popup"),
        ({"dialog": "add"}, "add", "add"),
        ({"dialog": "add", "popup": True}, "add", "popup"),
        ({"menu": 0}, "menu", "menu"),
        ({"context": True}, "context_menu", "context_menu"),
        ({"login": "qr", "dialog": "add"}, "login", "login"),
        ({"login": "unknown"}, "login", "login"),
    ],
)
def test_what_lies_over_the_window(screen: Any, parts: dict[str, Any], over: str, top: str) -> None:
    for name, value in parts.items():
        setattr(screen, name, value)
    assert (screen.over(), screen.top()) == (over, top)


def test_a_dialog_takes_the_place_of_menus(screen: Any) -> None:
    screen.menu, screen.box = 1, "left"
    screen.open_dialog("accept", "bob")
    assert screen.menu is None
    assert (screen.dialog, screen.box, screen.choice) == ("accept", "", "bob")
    screen.close_dialog()
    assert (screen.dialog, screen.choice, screen.dialog_row) == ("", None, None)


def test_a_popup_takes_the_focus_and_gives_it_back(screen: Any) -> None:
    screen.open_popup()
    assert (screen.popup, screen.raised) == (True, False)
    screen.close_popup()
    assert (screen.popup, screen.raised) == (False, True)
    screen.window = screen.raised = False
    screen.open_popup()
    screen.close_popup()
    assert not screen.raised


def test_closing_no_popup_does_not_give_the_focus_to_anybody(screen: Any) -> None:
    screen.raised = False
    screen.close_popup()
    assert not screen.raised


@pytest.mark.spec("UI-F3")
def test_each_session_keeps_its_draft(screen: Any) -> None:
    screen.open_session("bob")
    screen.draft += "hello"
    screen.open_session("eve")
    assert screen.draft == ""
    screen.draft += "hi"
    screen.open_session("bob")
    assert (screen.draft, screen.focus) == ("hello", "input")
    screen.draft = ""
    assert screen.drafts == {"eve": "hi"}


def test_without_a_session_there_is_no_box_to_write_into(screen: Any) -> None:
    assert screen.draft == ""
    with pytest.raises(ValueError, match="no session is open"):
        screen.draft = "lost"


@given(st.lists(st.tuples(st.sampled_from("abc"), st.booleans())))
def test_the_list_of_sessions_is_the_most_recent_first(steps: list[tuple[str, bool]]) -> None:
    screen = Screen(AccessLog())
    recent = list(OLDEST_SESSIONS)
    for name, sends in steps:
        screen.open_session(name)
        if sends:
            screen.lift_session(name)
        if name not in recent:
            recent.insert(0, name)
        elif sends:
            recent.remove(name)
            recent.insert(0, name)
    assert list(reversed(screen.sessions)) == recent
    assert screen.top_session == recent[0]


def test_leaving_the_boxes_gives_up_a_search_and_a_comment_and_no_draft(screen: Any) -> None:
    screen.open_session("bob")
    screen.draft = "kept"
    screen.focus, screen.search, screen.result, screen.comment = "search", "x", "x", "y"
    screen.leave_boxes()
    assert screen.result is None
    assert screen.focus == "none"
    assert screen.search + screen.comment == ""
    assert screen.draft == "kept"


@pytest.mark.parametrize("keep", [True, False])
def test_a_fresh_start(screen: Any, keep: bool) -> None:
    screen.open_session("bob")
    screen.draft = "hello"
    screen.open_dialog("add")
    screen.popup, screen.clipboard = True, "copied"
    screen.start_afresh("qr", keep_sessions=keep)
    fresh = Screen(screen.log, window=True, raised=True, login="qr", popup=True, clipboard="copied")
    if keep:
        fresh.sessions = dict.fromkeys((*OLDEST_SESSIONS, "bob"))
        fresh.drafts = {"bob": "hello"}
    assert screen == fresh


def test_every_part_is_watched() -> None:
    assert {"window", "popup", "clipboard", "drafts", "dialog", "box"} < Screen.PARTS
    assert "log" not in Screen.PARTS
