"""The layout: nothing lies where it would be hit instead of something else."""

from __future__ import annotations

from itertools import combinations

import pytest

from windtunnel.services.bridge.flows.flows import QR_REGION
from windtunnel.wechat.tables import PICTURED, PICTURES, POSITIONS
from windtunnel_real.standin import layout
from windtunnel_real.standin.layout import AREAS, BUTTONS, CONTACT_ROWS, ROWS, WINDOW, Box, place_of

PLACES = [*AREAS.values(), *ROWS, *CONTACT_ROWS]
EVERY_BUTTON = [box for row in BUTTONS.values() for box in row.values()]
EVERY_BUTTON += [layout.CONFIRM, layout.RESULTS_CONFIRM]


def test_every_position_has_a_point_in_the_window() -> None:
    for target in POSITIONS:
        assert WINDOW.contains(*place_of(target)), target


def test_no_two_places_overlap() -> None:
    assert [pair for pair in combinations(PLACES, 2) if pair[0].overlaps(pair[1])] == []


def test_no_button_covers_a_point_that_is_clicked_blindly() -> None:
    points = [place_of(target) for target in POSITIONS] + [box.center for box in CONTACT_ROWS]
    points += [box.center for box in ROWS]
    assert [b for b in EVERY_BUTTON for point in points if b.contains(*point)] == []


def test_buttons_that_are_shown_together_do_not_overlap() -> None:
    for row in BUTTONS.values():
        assert [p for p in combinations(row.values(), 2) if p[0].overlaps(p[1])] == []


def test_every_picture_has_a_button_where_the_tables_have_one() -> None:
    assert {place: set(row) for place, row in BUTTONS.items()} == {
        place: set(row) for place, row in PICTURES.items()
    }
    assert {name for row in BUTTONS.values() for name in row} | {"confirm"} == PICTURED


def test_buttons_lie_inside_what_shows_them() -> None:
    def inside(inner: Box, outer: Box) -> bool:
        corner = inner.right - 1, inner.bottom - 1
        return outer.contains(inner.x, inner.y) and outer.contains(*corner)

    assert inside(layout.CONFIRM, layout.DIALOG)
    assert inside(layout.DIALOG_BOX, layout.DIALOG)
    assert inside(layout.RESULTS_CONFIRM, layout.RESULTS_DIALOG)
    assert inside(layout.RESULTS_DIALOG_BOX, layout.RESULTS_DIALOG)
    assert inside(ROWS[0], layout.RESULTS_DIALOG)
    for box in BUTTONS["context_menu"].values():
        assert inside(box, layout.CONTEXT_MENU)
    assert all(inside(box, WINDOW) for box in [*EVERY_BUTTON, *PLACES, layout.QR, layout.BADGE])


def test_the_title_strip_is_left_to_the_badge() -> None:
    badge, title = layout.BADGE, layout.TITLE
    assert title.contains(badge.x, badge.y)
    assert title.contains(badge.right - 1, badge.bottom - 1)
    for box in [*PLACES, *EVERY_BUTTON, layout.POPUP, layout.DIALOG, layout.RESULTS_DIALOG]:
        assert not box.overlaps(layout.TITLE)


def test_the_qr_code_lies_where_the_bridge_crops_it() -> None:
    x, y = layout.ORIGIN
    qr = layout.QR
    assert (qr.x + x, qr.y + y) == (QR_REGION.x, QR_REGION.y)
    assert (qr.width, qr.height) == (QR_REGION.width, QR_REGION.height)


def test_the_panels_share_no_point_and_fill_the_window() -> None:
    parts = [layout.TITLE, layout.RAIL, layout.COLUMN, layout.HEAD, layout.PANE, layout.FOOT]
    assert [pair for pair in combinations(parts, 2) if pair[0].overlaps(pair[1])] == []
    assert sum(box.width * box.height for box in parts) == WINDOW.width * WINDOW.height


def test_what_has_no_place_says_so() -> None:
    with pytest.raises(KeyError):
        place_of("confirm")


def test_a_box() -> None:
    box = Box(10, 20, 4, 2)
    assert box.center == (12, 21)
    assert box.contains(10, 20)
    assert box.contains(13, 21)
    assert not box.contains(14, 21)
    assert not box.contains(13, 22)
    assert not box.overlaps(Box(14, 20, 5, 5))
    assert box.overlaps(Box(13, 21, 5, 5))
