"""Confirming: each dialog does its own thing, once, and only with what it needs."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.wechat.confirming import confirm
from windtunnel.wechat.tables import DIALOGS


def confirm_with(sheet: Any, dialog: str, box: str = "", choice: str | None = None) -> bool:
    sheet.screen.open_dialog(dialog, choice)
    sheet.screen.box = box
    return confirm(sheet.surface, sheet.who)


def test_without_a_dialog_there_is_nothing_to_confirm(sheet: Any) -> None:
    assert not confirm(sheet.surface, sheet.who)


@pytest.mark.parametrize("dialog", [name for name, row in DIALOGS.items() if row.needs])
def test_one_that_lacks_something_stays_and_does_nothing(sheet: Any, dialog: str) -> None:
    sheet.screen.open_session("bob")
    assert not confirm_with(sheet, dialog)
    assert sheet.screen.dialog == dialog
    assert (sheet.events, sheet.database.moments, sheet.database.asked) == ([], [], ())


def test_settings_have_nothing_to_confirm(sheet: Any) -> None:
    assert not confirm_with(sheet, "settings")
    assert sheet.screen.dialog == "settings"


def test_logging_out(sheet: Any) -> None:
    assert confirm_with(sheet, "confirm_logout")
    assert sheet.events == [("wechat.login", "wechat", "logged_out")]
    assert (sheet.screen.dialog, sheet.screen.login) == ("", "logged_out")


@pytest.mark.spec("UI-F4")
def test_a_file_goes_to_the_open_session(sheet: Any) -> None:
    sheet.screen.open_session("bob")
    assert confirm_with(sheet, "file", "/home/a.pdf")
    assert sheet.events == [("message.delivered", "bob", "/home/a.pdf")]


@pytest.mark.spec("UI-F4")
def test_forwarding_sends_the_last_message_of_the_open_session_to_the_chosen(sheet: Any) -> None:
    sheet.database.add_message("bob", "news")
    sheet.screen.open_session("bob")
    assert confirm_with(sheet, "chooser", "eve", "eve")
    assert sheet.events == [("message.delivered", "eve", "news")]


def test_forwarding_what_nobody_wrote_down(sheet: Any) -> None:
    assert confirm_with(sheet, "chooser", "eve", "eve")
    assert sheet.events == [("message.delivered", "eve", "")]


def test_asking_accepting_and_naming_a_friend(sheet: Any) -> None:
    sheet.database.requests = ("ann", "bob")
    assert confirm_with(sheet, "add", "eve", "eve")
    assert confirm_with(sheet, "accept", choice="bob")
    assert confirm_with(sheet, "remark", "the plumber", "bob")
    database = sheet.database
    assert (database.asked, database.friends, database.requests) == (("eve",), ("bob",), ("ann",))
    assert database.remarks == {"bob": "the plumber"}
    assert sheet.events == [("friend.accepted", "bob")]


def test_moments(sheet: Any) -> None:
    assert confirm_with(sheet, "publish", "hello all")
    for dialog in ("share", "delete", "forward_moment"):
        assert confirm_with(sheet, dialog)
    assert sheet.database.moments == [
        ("publish", "hello all"),
        ("share", ""),
        ("delete", ""),
        ("forward", ""),
    ]
    assert sheet.events == []
