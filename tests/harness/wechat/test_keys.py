"""Keys: they go to whatever has the focus, and texts that go to no box are told."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.wechat.clicks import click
from windtunnel.wechat.keys import focus_of, insert, press, type_text
from windtunnel.wechat.tables import DIALOGS, MENU


def go(sheet: Any, *targets: str) -> None:
    for target in targets:
        click(sheet.surface, target, sheet.who)


def keys(sheet: Any, *names: str) -> None:
    for name in names:
        press(sheet.surface, name, sheet.who)


def write(sheet: Any, text: str) -> None:
    type_text(sheet.surface, text, sheet.who)


# ---------------------------------------------------------------- where a text goes


def test_a_query_finds_who_is_named_in_one_go(sheet: Any) -> None:
    go(sheet, "search")
    write(sheet, "bob")
    assert (sheet.screen.search, sheet.screen.result) == ("bob", "bob")


@pytest.mark.spec("UI-F3")
def test_a_query_behind_what_was_left_there_finds_nobody(sheet: Any) -> None:
    go(sheet, "search")
    write(sheet, "bob")
    go(sheet, "search")
    write(sheet, "eve")
    assert (sheet.screen.search, sheet.screen.result) == ("bobeve", None)


@pytest.mark.spec("UI-F3", "UI-F4")
def test_a_text_goes_behind_the_draft_that_was_left(sheet: Any) -> None:
    go(sheet, "session:bob")
    write(sheet, "half a")
    go(sheet, "session:eve", "session:bob")
    write(sheet, " text")
    go(sheet, "send")
    assert sheet.events == [("message.delivered", "bob", "half a text")]


@pytest.mark.parametrize(
    ("targets", "place"),
    [
        ([], "nothing"),
        (["menu"], "menu"),
        (["session:bob", "last_message"], "context_menu"),
        (["moments"], "nothing"),
        (["moments", "delete"], "delete"),
    ],
)
def test_a_text_that_goes_to_no_box_is_misplaced(
    sheet: Any, targets: list[str], place: str
) -> None:
    go(sheet, *targets)
    write(sheet, "lost")
    assert sheet.events == [("text.misplaced", place, "lost")]


def test_nothing_typed_is_nothing_misplaced(sheet: Any) -> None:
    write(sheet, "")
    assert sheet.events == []


@pytest.mark.parametrize(
    "dialog", [name for name, row in DIALOGS.items() if row.box and not row.lists_results]
)
def test_a_dialogs_box_takes_the_text(sheet: Any, dialog: str) -> None:
    sheet.screen.open_dialog(dialog, "bob")
    write(sheet, "a")
    write(sheet, "b")
    assert (sheet.screen.box, sheet.screen.choice) == ("ab", "bob")


@pytest.mark.parametrize("dialog", ["add", "chooser"])
def test_another_query_undoes_the_choice(sheet: Any, dialog: str) -> None:
    sheet.screen.open_dialog(dialog)
    write(sheet, "eve")
    go(sheet, "result")
    assert sheet.screen.choice == "eve"
    write(sheet, "x")
    assert sheet.screen.choice is None
    go(sheet, "result")
    keys(sheet, "BackSpace")
    assert (sheet.screen.box, sheet.screen.choice) == ("eve", None)


def test_a_name_typed_in_two_goes_is_nobodys_in_a_dialog_too(sheet: Any) -> None:
    go(sheet, "add")
    write(sheet, "ev")
    write(sheet, "e")
    go(sheet, "result")
    assert (sheet.screen.box, sheet.screen.choice) == ("eve", None)
    assert sheet.events == [("click.missed", "result", "nothing")]


def test_a_popup_has_the_keys_until_the_window_is_raised(sheet: Any) -> None:
    go(sheet, "session:bob")
    sheet.screen.open_popup()
    write(sheet, "lost")
    sheet.screen.raised = True
    write(sheet, "kept")
    assert sheet.events == [("text.misplaced", "popup", "lost")]
    assert sheet.screen.draft == "kept"


def test_the_log_in_page_takes_no_text(sheet: Any) -> None:
    sheet.screen.login = "qr"
    write(sheet, "lost")
    assert sheet.events == [("text.misplaced", "login", "lost")]


@pytest.mark.spec("UI-F4")
def test_a_line_break_that_is_typed_is_return_and_one_that_is_pasted_is_none(sheet: Any) -> None:
    go(sheet, "session:bob")
    write(sheet, "one\ntwo")
    insert(sheet.surface, "\nthree", sheet.who)
    go(sheet, "send")
    assert sheet.events == [
        ("message.delivered", "bob", "one"),
        ("message.delivered", "bob", "two\nthree"),
    ]


# ---------------------------------------------------------------- single keys


def test_the_main_menu_is_walked_and_logs_out(sheet: Any) -> None:
    go(sheet, "menu")
    keys(sheet, "Down", "Down", "Return")
    assert sheet.screen.dialog == "confirm_logout"
    go(sheet, "confirm")
    assert sheet.events == [("wechat.login", "wechat", "logged_out")]


@pytest.mark.parametrize(
    ("names", "dialog"),
    [
        (["Return"], ""),
        (["Down", "Return"], "settings"),
        (["Down", "Down", "Up", "Return"], "settings"),
        (["Up", "Return"], "settings"),
        (["Down"] * 9 + ["Return"], ""),
        (["Down", "Down", "Escape", "Return"], ""),
    ],
)
def test_lines_of_the_menu(sheet: Any, names: list[str], dialog: str) -> None:
    go(sheet, "menu")
    keys(sheet, *names)
    assert (sheet.screen.dialog, sheet.screen.menu) == (dialog, None)


def test_the_menu_ends_at_its_last_line(sheet: Any) -> None:
    go(sheet, "menu")
    keys(sheet, *["Down"] * 9)
    assert sheet.screen.menu == len(MENU)


def test_return_sends_the_draft_and_an_empty_one_not(sheet: Any) -> None:
    go(sheet, "session:bob")
    keys(sheet, "Return")
    write(sheet, "hello")
    keys(sheet, "KP_Enter")
    assert sheet.events == [("message.delivered", "bob", "hello")]


def test_return_opens_what_the_search_found(sheet: Any) -> None:
    go(sheet, "search")
    keys(sheet, "Return")
    assert focus_of(sheet.surface) == "search"
    write(sheet, "bob")
    keys(sheet, "Return")
    assert (sheet.screen.session, sheet.screen.focus) == ("bob", "input")


def test_return_confirms_a_dialog_and_escape_closes_it(sheet: Any) -> None:
    sheet.screen.open_session("bob")
    for last in ("Return", "Escape"):
        go(sheet, "attach")
        write(sheet, "/home/a")
        keys(sheet, last)
        assert sheet.screen.dialog == ""
        assert sheet.events == [("message.delivered", "bob", "/home/a")]


def test_return_posts_a_comment(sheet: Any) -> None:
    go(sheet, "moments", "comment")
    keys(sheet, "Return")
    write(sheet, "nicer")
    keys(sheet, "BackSpace", "Return")
    assert sheet.database.moments == [("comment", "nice")]
    assert focus_of(sheet.surface) == "none"


@pytest.mark.parametrize("key", ["Return", "Escape"])
@pytest.mark.parametrize("over", ["popup", "context_menu"])
def test_what_lies_over_the_window_is_closed_by_keys(sheet: Any, over: str, key: str) -> None:
    sheet.screen.open_session("bob")
    if over == "popup":
        sheet.screen.open_popup()
    sheet.screen.context = over == "context_menu"
    keys(sheet, key)
    assert focus_of(sheet.surface) == "input"


@pytest.mark.parametrize("targets", [["search"], ["session:bob"], ["moments", "comment"]])
def test_escape_leaves_a_box(sheet: Any, targets: list[str]) -> None:
    go(sheet, *targets)
    keys(sheet, "Escape")
    assert focus_of(sheet.surface) == "none"


def test_backspace_rubs_out_in_the_box_in_focus(sheet: Any) -> None:
    go(sheet, "session:bob")
    write(sheet, "ab")
    keys(sheet, "BackSpace")
    assert sheet.screen.draft == "a"
    go(sheet, "search")
    write(sheet, "eve")
    keys(sheet, "BackSpace")
    assert (sheet.screen.search, sheet.screen.result) == ("ev", None)
    assert sheet.screen.draft == "a"


def test_the_clipboard_is_pasted_where_the_focus_is(sheet: Any) -> None:
    sheet.screen.clipboard = "copied"
    keys(sheet, "ctrl+v")
    go(sheet, "session:bob")
    keys(sheet, "ctrl+v")
    assert sheet.screen.draft == "copied"
    assert sheet.events == []


def test_a_key_that_means_nothing_does_nothing(sheet: Any) -> None:
    go(sheet, "session:bob")
    keys(sheet, "F13", "Down")
    sheet.screen.login = "qr"
    keys(sheet, "Return")
    assert sheet.events == []
