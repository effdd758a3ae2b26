"""Pasting: what an owner of the clipboard may do wrong leaves the application as it was."""

from __future__ import annotations

import pytest

from standin_kit import Owner, Standin
from windtunnel_real.standin import pasting


def test_an_owner_that_has_no_text(app: Standin) -> None:
    app.click("input")
    with Owner(app.hands.display, b"", 0) as owner:
        app.hands.key("ctrl+v")
        owner.refuse()
        app.hands.type("on")
        assert app.state()["drafts"] == {"alice": "on"}
    assert app.lines("text.lost") == []


def test_no_owner_at_all(app: Standin) -> None:
    app.click("input")
    app.hands.key("ctrl+v")
    app.hands.type("on")
    assert app.state()["drafts"] == {"alice": "on"}


def test_bytes_that_are_no_text(app: Standin) -> None:
    app.click("input")
    with Owner(app.hands.display, b"a\xff\xfeb", 0) as owner:
        app.hands.key("ctrl+v")
        owner.serve()
        assert app.state()["drafts"] == {"alice": "a\ufffd\ufffdb"}


def test_an_owner_that_stops_in_the_middle(app: Standin) -> None:
    app.click("input")
    with Owner(app.hands.display, b"x" * 100, 10) as owner:
        app.hands.key("ctrl+v")
        owner.begin()
        app.hands.type("on")
        state = app.state()
    assert state["drafts"] == {"alice": "on"}
    assert app.lines("text.lost") == [{"resource": "wechat", "place": "input"}]


@pytest.mark.parametrize("where", ["nothing", "search"])
def test_a_paste_goes_where_the_focus_is(app: Standin, where: str) -> None:
    if where == "search":
        app.click("search")
    app.hands.paste("名字")
    state = app.state()
    assert state["search"] == ("名字" if where == "search" else "")
    misplaced = app.lines("text.misplaced")
    assert misplaced == ([] if where == "search" else [{"resource": "nothing", "text": "名字"}])
    assert state["clipboard"] == "名字"


def test_the_limit_is_within_what_a_command_may_take() -> None:
    assert pasting.LIMIT_S < 5.0
