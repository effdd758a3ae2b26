"""Overlays: what lies over the window looks as it is, and every dialog has its words."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.wechat.tables import DIALOGS, MENU
from windtunnel_real.standin import layout
from windtunnel_real.standin.overlays import MENU_LABELS, TITLES, overlay


def test_nothing_lies_over_the_bare_window(surface: Any) -> None:
    assert overlay(surface) is None


def test_every_dialog_and_line_has_words() -> None:
    assert set(TITLES) == set(DIALOGS)
    assert set(MENU_LABELS) == set(MENU)


@pytest.mark.parametrize("name", DIALOGS)
def test_a_dialog_has_its_box_and_looks_like_no_other(surface: Any, name: str) -> None:
    looks = set()
    for each in DIALOGS:
        surface.screen.open_dialog(each)
        looks.add(overlay(surface))
    assert len(looks) == len(DIALOGS)
    surface.screen.open_dialog(name)
    panel = overlay(surface)
    assert panel is not None
    wanted = layout.RESULTS_DIALOG if DIALOGS[name].lists_results else layout.DIALOG
    assert panel.box == wanted


@pytest.mark.parametrize("name", [name for name, row in DIALOGS.items() if row.box])
def test_what_stands_in_a_dialogs_box_is_seen(surface: Any, name: str) -> None:
    surface.screen.open_dialog(name)
    before = overlay(surface)
    surface.screen.box = "text"
    assert overlay(surface) != before


def test_a_result_is_listed_and_its_choice_is_seen(surface: Any) -> None:
    surface.screen.open_dialog("add")
    nothing = overlay(surface)
    surface.screen.result = "bob"
    listed = overlay(surface)
    surface.screen.choice = "bob"
    assert len({nothing, listed, overlay(surface)}) == 3


def test_menus_and_pages(surface: Any) -> None:
    surface.screen.menu = 1
    menu = overlay(surface)
    surface.screen.menu, surface.screen.context = None, True
    context = overlay(surface)
    surface.screen.login = "qr"
    qr = overlay(surface)
    surface.screen.login = "logged_out"
    out = overlay(surface)
    assert menu is not None
    assert context is not None
    assert qr is not None
    assert out is not None
    assert menu.box == layout.MENU
    assert context.box == layout.CONTEXT_MENU
    assert qr.box == out.box == layout.POPUP
    assert qr != out
