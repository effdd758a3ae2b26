"""Input: each target is hit where it lies, each view, dialog and menu is reached by real events."""

from __future__ import annotations

import pytest

from standin_kit import Standin
from windtunnel.wechat.tables import POSITIONS
from windtunnel_real.standin.layout import place_of


@pytest.mark.parametrize("target", sorted(POSITIONS))
def test_a_click_at_its_place_is_a_click_on_it(app: Standin, target: str) -> None:
    app.hands.click(*place_of(target))
    (line,) = app.lines("click")
    wanted = "session:alice" if target in ("result", "session") else target
    assert (line["target"], line["x"], line["y"]) == (wanted, *place_of(target))
    assert line["hit"] == ("empty_box" if target == "send" else wanted)


def test_only_the_first_button_clicks(app: Standin) -> None:
    from Xlib import X
    from Xlib.ext import xtest

    for button in (2, 3, 4, 5):
        xtest.fake_input(app.hands.display, X.ButtonPress, button)
        xtest.fake_input(app.hands.display, X.ButtonRelease, button)
    app.hands.display.sync()
    assert app.lines("click") == []


def test_keys_are_logged_with_where_they_went(app: Standin) -> None:
    app.click("input")
    for key in ("Return", "F5", "ctrl+a", "Escape"):
        app.hands.key(key)
    assert [(line["key"], line["place"]) for line in app.lines("key")] == [
        ("Return", "input"),
        ("F5", "input"),
        ("ctrl+a", "input"),
        ("Escape", "input"),
    ]
    assert app.state()["focus"] == "none"


def test_logging_out_by_the_menu(app: Standin) -> None:
    app.click("menu")
    app.hands.key("Down")
    app.hands.key("Down")
    app.hands.key("Return")
    assert app.state()["dialog"] == "confirm_logout"
    app.click("confirm")
    assert app.state()["login"] == "logged_out"
    assert app.lines("wechat.login") == [{"resource": "wechat", "state": "logged_out"}]


def test_forwarding_by_the_context_menu(app: Standin) -> None:
    app.click("input")
    app.hands.type("to be told")
    app.click("send")
    app.click("last_message")
    app.click("forward")
    app.hands.type("bob")
    app.click("result")
    assert app.state()["choice"] == "bob"
    app.click("confirm")
    assert app.lines("message.delivered")[-1] == {"resource": "bob", "text": "to be told"}


def test_revoking(app: Standin) -> None:
    app.click("input")
    app.hands.type("oops")
    app.hands.key("Return")
    app.click("last_message")
    app.click("revoke")
    assert not app.state()["context"]
    assert app.lines("click")[-1] | {"x": 0, "y": 0} == {
        "resource": "wechat",
        "target": "revoke",
        "hit": "revoke",
        "x": 0,
        "y": 0,
    }


def test_friends_are_asked_accepted_and_named(app: Standin) -> None:
    app.click("add")
    app.hands.type("dora")
    app.click("result")
    app.click("confirm")
    app.ask("request", **{"from": "eve"})
    app.click("requests")
    app.click("accept")
    app.click("confirm")
    app.click("contact:eve")
    app.click("remark")
    app.hands.paste("小伊")
    app.click("confirm")
    assert app.lines("friend.accepted") == [{"resource": "eve"}]
    assert app.state()["dialog"] == ""
    assert app.find("remark") is not None


@pytest.mark.parametrize("picture", ["publish", "delete", "forward"])
def test_what_the_moments_offer(app: Standin, picture: str) -> None:
    app.click("moments")
    app.click(picture)
    app.hands.type("fine")
    app.click("confirm")
    assert app.state()["dialog"] == ""


def test_liking_commenting_and_sharing(app: Standin) -> None:
    app.click("moments")
    app.click("like")
    app.click("comment")
    app.hands.type("nice")
    assert app.state()["comment"] == "nice"
    app.hands.key("Return")
    assert app.state()["focus"] == "none"
    app.click("session:alice")
    app.click("link")
    app.click("share")
    app.click("confirm")
    assert app.state()["view"] == "link"


def test_a_button_that_is_gone_is_hit_no_more(app: Standin) -> None:
    app.click("moments")
    app.ask("drain")
    point = app.find("like")
    assert point is not None
    app.click("session:alice")
    assert app.find("like") is None
    app.hands.click(*point)
    assert app.lines("click")[-1]["hit"] == "nothing"
