"""The tables of WeChat: every name in one is a name in the other."""

from __future__ import annotations

from windtunnel.wechat.clicks import POSITION_CLICKS
from windtunnel.wechat.confirming import CONFIRMS
from windtunnel.wechat.keys import PRESSES
from windtunnel.wechat.tables import (
    DIALOGS,
    MENU,
    MENU_DIALOGS,
    PICTURED,
    PICTURES,
    POSITIONS,
)


def test_every_dialog_that_is_opened_has_a_row() -> None:
    opened = {name for row in PICTURES.values() for name in row.values() if name}
    opened |= set(MENU_DIALOGS.values()) | {"add", "file"}
    assert opened == set(DIALOGS)
    assert set(MENU_DIALOGS) <= set(MENU)


def test_every_dialog_with_something_to_confirm_does_it() -> None:
    assert {name for name, row in DIALOGS.items() if row.confirm} | {"file"} == set(CONFIRMS)


def test_a_dialog_that_needs_something_has_a_box_for_it() -> None:
    for name, row in DIALOGS.items():
        assert row.box or not row.needs, name
        assert row.lists_results == (row.needs == "choice"), name


def test_a_target_is_a_position_or_a_picture() -> None:
    assert {*POSITIONS, "contact"} == set(POSITION_CLICKS)
    assert not PICTURED & {*POSITIONS, "contact"}
    assert {
        *("confirm", "revoke", "forward", "share", "delete", "accept", "remark", "publish"),
        *("like", "comment"),
    } == PICTURED


def test_every_place_that_gets_keys_can_be_left() -> None:
    assert set(PRESSES) == {
        *("popup", "menu", "context_menu", "dialog", "search", "input", "comment")
    }
    for row in PRESSES.values():
        assert {"Return", "Escape"} <= set(row)
