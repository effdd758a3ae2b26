"""The scene: what can be found by its picture is drawn, what cannot is not; each state looks so."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from standin_kit import surfaces
from windtunnel.wechat.surface import Surface
from windtunnel_real.standin import drawing
from windtunnel_real.standin.canvas import BASE
from windtunnel_real.standin.hits import shown_buttons
from windtunnel_real.standin.layout import BADGE, QR, WINDOW, Box
from windtunnel_real.standin.panels import Fill, Panel, Picture
from windtunnel_real.standin.rows import Rows
from windtunnel_real.standin.scene import scene


def seen(surface: Surface) -> tuple[Panel, ...]:
    return scene(surface, Rows(surface), "微信")


def pictures(panels: tuple[Panel, ...]) -> dict[tuple[int, int], drawing.Tile]:
    """Return the pictures that are not painted over by a later panel's."""
    items = [item for panel in panels for item in panel.items if isinstance(item, Picture)]
    return {(item.x, item.y): item.tile for item in items}


@settings(max_examples=60)
@given(surfaces())
def test_a_button_is_drawn_exactly_where_it_is_clicked(surface: Surface) -> None:
    drawn = pictures(seen(surface))
    shown = {(box.x, box.y): drawing.button(name) for name, box in shown_buttons(surface).items()}
    every = {id(drawing.button(name)): name for name in drawing.BUTTONS}
    assert {place: tile for place, tile in drawn.items() if id(tile) in every} == shown


@settings(max_examples=60)
@given(surfaces())
def test_the_panels_fill_their_boxes_and_the_badge_is_there(surface: Surface) -> None:
    panels = seen(surface)
    assert len(panels) == BASE + bool(surface.screen.over())
    for panel in panels:
        first = panel.items[0]
        assert isinstance(first, Fill)
        assert first.box == panel.box
    assert pictures(panels)[BADGE.x, BADGE.y] == drawing.badge(surface.screen.login)
    everything = [item for panel in panels for item in panel.items]
    for item in everything:
        box = (
            item.box
            if isinstance(item, Fill)
            else Box(item.x, item.y, item.tile.width, item.tile.height)
        )
        assert 0 <= box.x < box.right <= WINDOW.width
        assert 0 <= box.y < box.bottom <= WINDOW.height


def test_the_qr_code_is_shown_where_it_has_to_be(surface: Any) -> None:
    surface.screen.login = "qr"
    assert pictures(seen(surface))[QR.x, QR.y] == drawing.qr_code()
    surface.screen.login = "logged_out"
    assert (QR.x, QR.y) not in pictures(seen(surface))


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s.screen.open_session("bob"),
        lambda s: s.screen.show("moments"),
        lambda s: s.screen.show("requests"),
        lambda s: s.screen.show("contacts"),
        lambda s: s.screen.show("link"),
        lambda s: s.screen.open_dialog("settings"),
        lambda s: s.screen.open_dialog("add"),
        lambda s: setattr(s.screen, "menu", 0),
        lambda s: setattr(s.screen, "menu", 2),
        lambda s: setattr(s.screen, "context", True),
        lambda s: setattr(s.screen, "search", "bob"),
        lambda s: setattr(s.screen, "focus", "search"),
        lambda s: setattr(s.screen, "login", "logged_out"),
        lambda s: s.database.add_message("filehelper", "hello"),
        lambda s: setattr(s.database, "requests", ("eve",)),
        lambda s: setattr(s.database, "friends", ("eve",)),
    ],
)
def test_each_change_is_seen(surface: Any, change: Any) -> None:
    before = seen(surface)
    assert seen(surface) == before
    change(surface)
    assert seen(surface) != before


def test_a_draft_and_messages_are_seen(surface: Any) -> None:
    surface.screen.open_session("bob")
    before = seen(surface)
    surface.screen.draft = "x"
    drafted = seen(surface)
    assert drafted != before
    surface.database.add_message("bob", "x")
    assert seen(surface) != drafted
