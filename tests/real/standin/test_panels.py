"""Panels: what is drawn in a box keeps to it."""

from __future__ import annotations

from itertools import chain

from hypothesis import given
from hypothesis import strategies as st

from windtunnel_real.standin import drawing
from windtunnel_real.standin.layout import AREAS, DIALOG_BOX, Box
from windtunnel_real.standin.panels import (
    Fill,
    Item,
    Panel,
    avatar,
    buttons,
    framed,
    icon,
    label,
    written,
)


def box_of(item: Item) -> Box:
    if isinstance(item, Fill):
        return item.box
    return Box(item.x, item.y, item.tile.width, item.tile.height)


def keeps_to(box: Box, items: list[Item]) -> bool:
    wide = Box(box.x, box.y, box.width, box.height + 8)
    inside = [box_of(item) for item in items]
    return all(
        wide.contains(each.x, each.y) and each.right <= wide.right and each.bottom <= wide.bottom
        for each in inside
    )


@given(
    st.sampled_from([AREAS["search"], AREAS["input"], DIALOG_BOX]),
    st.text(alphabet="ab中é \n", max_size=300),
)
def test_what_is_written_keeps_to_its_box(box: Box, text: str) -> None:
    items = list(written(box, text, drawing.WHITE, lit=True))
    assert keeps_to(box, items)


def test_the_end_of_a_long_text_is_seen() -> None:
    first = list(written(DIALOG_BOX, "x" * 500 + "a", drawing.WHITE))
    last = list(written(DIALOG_BOX, "x" * 500 + "b", drawing.WHITE))
    assert first != last


@given(st.text(min_size=1, max_size=4))
def test_faces_and_icons_keep_to_their_box(name: str) -> None:
    name = name.encode(errors="replace").decode()
    box = Box(10, 10, 48, 44)
    assert keeps_to(box, list(chain(avatar(box, name), icon(box, name, drawing.DARK, lit=True))))


def test_a_box_with_an_edge_tells_the_focus() -> None:
    box = Box(0, 0, 20, 10)
    assert list(framed(box, drawing.WHITE, lit=True)) != list(framed(box, drawing.WHITE, lit=False))


def test_only_buttons_with_a_place_are_drawn() -> None:
    (item,) = buttons({"like": Box(5, 6, *drawing_size()), "publish": None})
    assert box_of(item) == Box(5, 6, *drawing_size())


def drawing_size() -> tuple[int, int]:
    tile = drawing.button("like")
    return tile.width, tile.height


def test_a_panel_is_compared_by_what_it_shows() -> None:
    box = Box(0, 0, 50, 20)
    same = [Panel(box, (label(0, 0, "x", 14, drawing.DARK, drawing.WHITE, 50),)) for _ in range(2)]
    assert same[0] == same[1]
    assert same[0] != Panel(box, (label(0, 0, "y", 14, drawing.DARK, drawing.WHITE, 50),))
