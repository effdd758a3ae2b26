"""Clicks: right ones do what they mean, blind ones hit whatever lies there."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.errors import BridgeError
from windtunnel.wechat.clicks import click
from windtunnel.wechat.tables import DIALOGS, PICTURED, PICTURES, POSITIONS, REVOKED


def press(sheet: Any, *targets: str) -> None:
    for target in targets:
        click(sheet.surface, target, sheet.who)


def search_for(sheet: Any, name: str) -> None:
    press(sheet, "search")
    sheet.screen.search = sheet.screen.result = name


# ---------------------------------------------------------------- positions in the bare window


def test_a_search_opens_the_session_it_found(sheet: Any) -> None:
    search_for(sheet, "bob")
    press(sheet, "result")
    screen = sheet.screen
    assert (screen.session, screen.focus, screen.search, screen.result) == (
        "bob",
        "input",
        "",
        None,
    )
    assert sheet.events == []


def test_the_result_without_a_search_is_the_top_session(sheet: Any) -> None:
    sheet.screen.sessions = {"bob": None, "eve": None}
    press(sheet, "result")
    assert sheet.screen.session == "eve"
    assert sheet.events == [("click.missed", "result", "session")]


def test_the_top_session_under_a_search_is_the_result(sheet: Any) -> None:
    sheet.screen.sessions = {"eve": None}
    search_for(sheet, "bob")
    press(sheet, "session")
    assert sheet.screen.session == "bob"
    assert sheet.events == [("click.missed", "session", "result")]


@pytest.mark.parametrize("target", ["result", "session", "session:eve"])
def test_a_search_that_found_nobody_opens_nothing(sheet: Any, target: str) -> None:
    press(sheet, "search", target)
    assert sheet.screen.session is None
    assert sheet.events == [("click.missed", target, "nothing")]


def test_sessions_by_place_and_by_name(sheet: Any) -> None:
    press(sheet, "session:bob")
    assert sheet.screen.session == "bob"
    press(sheet, "session:eve", "session")
    assert sheet.screen.session == "eve"
    assert sheet.events == []


@pytest.mark.spec("UI-F4")
def test_what_stands_in_the_box_goes_to_the_open_session(sheet: Any) -> None:
    press(sheet, "session:bob", "input")
    sheet.screen.draft = "hello"
    press(sheet, "send")
    assert sheet.events == [("message.delivered", "bob", "hello")]
    assert (sheet.screen.draft, sheet.screen.focus) == ("", "input")


def test_an_empty_box_sends_nothing(sheet: Any) -> None:
    press(sheet, "session:bob", "send")
    assert sheet.events == [("click.missed", "send", "empty_box")]


@pytest.mark.parametrize("target", ["input", "send", "attach", "last_message", "link"])
def test_the_main_pane_without_a_session(sheet: Any, target: str) -> None:
    press(sheet, target, "moments", target)
    assert sheet.events == [
        ("click.missed", target, "nothing"),
        ("click.missed", target, "moments"),
    ]
    assert (sheet.screen.focus, sheet.screen.top()) == ("none", "")


@pytest.mark.parametrize("target", ["input", "send", "moments", "menu", "add", "last_message"])
def test_a_click_elsewhere_gives_up_a_search(sheet: Any, target: str) -> None:
    press(sheet, "session:bob")
    search_for(sheet, "eve")
    press(sheet, target)
    assert (sheet.screen.search, sheet.screen.result) == ("", None)


def test_a_search_gives_up_a_comment(sheet: Any) -> None:
    press(sheet, "moments", "comment")
    sheet.screen.comment = "unsent"
    press(sheet, "search")
    assert (sheet.screen.focus, sheet.screen.comment) == ("search", "")


@pytest.mark.parametrize(
    ("targets", "view"),
    [
        (["moments"], "moments"),
        (["requests"], "requests"),
        (["contact:bob"], "contacts"),
        (["session:bob", "link"], "link"),
        (["moments", "session:bob"], "chats"),
    ],
)
def test_views(sheet: Any, targets: list[str], view: str) -> None:
    press(sheet, *targets)
    assert sheet.screen.view == view
    assert sheet.events == []


def test_a_place_that_is_none(sheet: Any) -> None:
    press(sheet, "nowhere", "contact")
    assert sheet.events == [
        ("click.missed", "nowhere", "nothing"),
        ("click.missed", "contact", "nothing"),
    ]


# ---------------------------------------------------------------- what lies over the window


@pytest.mark.parametrize("target", sorted(POSITIONS))
@pytest.mark.parametrize("over", ["menu", "context_menu", "popup"])
def test_an_open_menu_or_popup_swallows_the_click_and_closes(
    sheet: Any, over: str, target: str
) -> None:
    screen = sheet.screen
    screen.menu = 0 if over == "menu" else None
    screen.context = over == "context_menu"
    if over == "popup":
        screen.open_popup()
    press(sheet, target)
    assert screen.top() == ""
    assert sheet.events == [("click.missed", target, over)]
    assert (screen.focus, screen.session, screen.view) == ("none", None, "chats")


@pytest.mark.parametrize("dialog", sorted(DIALOGS))
def test_a_dialog_swallows_the_click_and_only_a_light_one_closes(sheet: Any, dialog: str) -> None:
    sheet.screen.open_dialog(dialog)
    press(sheet, "input")
    assert sheet.screen.dialog == ("" if DIALOGS[dialog].light else dialog)
    assert sheet.events == [("click.missed", "input", dialog)]


def test_a_popup_goes_before_the_dialog_under_it(sheet: Any) -> None:
    sheet.screen.open_dialog("confirm_logout")
    sheet.screen.open_popup()
    with pytest.raises(BridgeError, match="TARGET_NOT_FOUND"):
        press(sheet, "confirm")
    press(sheet, "input", "confirm")
    assert sheet.screen.login == "logged_out"


@pytest.mark.parametrize("login", ["logged_out", "qr"])
def test_the_log_in_page_has_none_of_the_targets(sheet: Any, login: str) -> None:
    sheet.screen.login = login
    press(sheet, "menu", "session:bob")
    assert [event[2] for event in sheet.events] == ["login", "login"]
    for target in PICTURED:
        with pytest.raises(BridgeError, match="TARGET_NOT_FOUND"):
            press(sheet, target)


# ---------------------------------------------------------------- pictures


@pytest.mark.parametrize("target", sorted(PICTURED))
def test_a_picture_that_is_not_shown_is_an_error(sheet: Any, target: str) -> None:
    with pytest.raises(BridgeError) as caught:
        press(sheet, target)
    assert (caught.value.code, caught.value.message) == (
        "TARGET_NOT_FOUND",
        f"nothing on the screen looks like `{target}`",
    )
    assert sheet.events == []


WAYS = {
    "context_menu": ("session:bob", "last_message"),
    "contacts": ("contact:bob",),
    "requests": ("requests",),
    "moments": ("moments",),
    "link": ("session:bob", "link"),
}


@pytest.mark.parametrize(
    ("place", "target"), [(place, target) for place, row in PICTURES.items() for target in row]
)
def test_a_picture_where_it_is_shown(sheet: Any, place: str, target: str) -> None:
    sheet.database.requests = ("ann",)
    press(sheet, *WAYS[place], target)
    assert sheet.screen.dialog == PICTURES[place][target]
    assert sheet.events == []
    assert sheet.screen.focus == ("comment" if target == "comment" else "none")


def test_without_an_open_request_there_is_nothing_to_accept(sheet: Any) -> None:
    with pytest.raises(BridgeError, match="TARGET_NOT_FOUND"):
        press(sheet, "requests", "accept")


def test_without_a_card_there_is_nothing_to_remark_on(sheet: Any) -> None:
    with pytest.raises(BridgeError, match="TARGET_NOT_FOUND"):
        press(sheet, "contact", "remark")


def test_the_oldest_request_is_accepted(sheet: Any) -> None:
    sheet.database.requests = ("ann", "bob")
    press(sheet, "requests", "accept", "confirm")
    assert sheet.events == [("friend.accepted", "ann")]


def test_a_message_is_taken_back_once(sheet: Any) -> None:
    sheet.database.add_message("bob", "oops")
    for _ in range(2):
        press(sheet, "session:bob", "last_message", "revoke")
    assert [each.text for each in sheet.database.messages] == [REVOKED]
    assert not sheet.screen.context


def test_a_like_is_noted(sheet: Any) -> None:
    press(sheet, "moments", "like")
    assert sheet.database.moments == [("like", "")]


def test_confirming_what_lacks_its_choice_misses(sheet: Any) -> None:
    press(sheet, "add", "confirm")
    assert sheet.events == [("click.missed", "confirm", "add")]
    assert sheet.screen.dialog == "add"


@pytest.mark.parametrize("target", ["session", "session:filehelper"])
def test_the_top_session_under_a_dialog_is_its_result(sheet: Any, target: str) -> None:
    press(sheet, "add", target, "session:bob")
    assert [event[2] for event in sheet.events] == ["nothing", "add"]
    sheet.screen.box = sheet.screen.result = "eve"
    press(sheet, target)
    assert sheet.screen.choice == "eve"
    assert sheet.events[2:] == [("click.missed", target, "result")]


def test_a_result_is_chosen_inside_a_dialog(sheet: Any) -> None:
    press(sheet, "add", "result")
    assert sheet.events == [("click.missed", "result", "nothing")]
    sheet.screen.box = sheet.screen.result = "eve"
    press(sheet, "result", "confirm")
    assert sheet.database.asked == ("eve",)
