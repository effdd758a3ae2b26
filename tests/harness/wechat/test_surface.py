"""The surface: what a step brings about stands in the trace, with who did it."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.acting import Acting


@pytest.mark.spec("UI-F4")
def test_a_delivery_says_to_whom_what_and_by_whom(sheet: Any) -> None:
    sheet.screen.open_session("bob")
    sheet.screen.open_session("eve")
    sheet.surface.deliver("bob", "hello", Acting("send.1", "send_text", actor="batch"))
    (event,) = sheet.trace
    assert (event.op, event.class_, event.actor) == ("send.1", "send_text", "batch")
    assert sheet.events == [("message.delivered", "bob", "hello")]
    assert sheet.screen.top_session == "bob"
    assert [each.text for each in sheet.database.messages] == ["hello"]


def test_what_misses(sheet: Any) -> None:
    sheet.surface.missed("search", "menu", sheet.who)
    sheet.surface.misplaced("hello", "nothing", sheet.who)
    assert sheet.events == [
        ("click.missed", "search", "menu"),
        ("text.misplaced", "nothing", "hello"),
    ]


def test_a_request_is_accepted_once(sheet: Any) -> None:
    sheet.database.requests = ("bob",)
    sheet.surface.accept("bob", sheet.who)
    sheet.surface.accept("bob", sheet.who)
    assert sheet.events == [("friend.accepted", "bob")]


def test_logging_out_shows_the_page_and_keeps_what_belongs_to_the_account(sheet: Any) -> None:
    sheet.screen.open_session("bob")
    sheet.screen.draft = "later"
    sheet.surface.log_in_or_out("logged_out")
    assert (sheet.screen.login, sheet.screen.session) == ("logged_out", None)
    sheet.surface.log_in_or_out("logged_out")
    sheet.surface.log_in_or_out("logged_in")
    assert sheet.screen.drafts == {"bob": "later"}
    assert sheet.events == [
        ("wechat.login", "wechat", "logged_out"),
        ("wechat.login", "wechat", "logged_in"),
    ]


def test_without_a_window_only_the_account_changes(sheet: Any) -> None:
    sheet.screen.login = "unknown"
    sheet.surface.log_in_or_out("logged_out")
    assert (sheet.screen.login, sheet.database.account) == ("unknown", "logged_out")
