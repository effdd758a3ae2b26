"""Drawing: tiles are right in size, unlike one another, and the same every time."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.ports import Frame
from windtunnel.wechat.tables import PICTURED
from windtunnel_real.pictures.finding import find
from windtunnel_real.standin import drawing
from windtunnel_real.standin.drawing import BADGES, BUTTONS, DARK, WHITE, Tile
from windtunnel_real.standin.layout import BADGE, BUTTON, QR

EVERY = {name: drawing.button(name) for name in BUTTONS} | {
    f"{s}": drawing.badge(s) for s in BADGES
}


def test_every_pictured_target_has_a_button() -> None:
    assert set(BUTTONS) == PICTURED
    assert {(t.width, t.height) for t in map(drawing.button, BUTTONS)} == {BUTTON}
    assert {(t.width, t.height) for t in map(drawing.badge, BADGES)} == {
        (BADGE.width, BADGE.height)
    }


@pytest.mark.parametrize(("one", "other"), list(combinations(EVERY, 2)))
def test_no_picture_is_found_in_another(one: str, other: str) -> None:
    def frame(tile: Tile) -> Frame:
        return Frame(tile.width, tile.height, tile.pixels)

    assert find(frame(EVERY[one]), frame(EVERY[other])) is None
    assert find(frame(EVERY[other]), frame(EVERY[one])) is None


def test_pixels_are_blue_green_red_and_nothing() -> None:
    tile = drawing.text(" ", 14, WHITE, (1, 2, 3), 50)
    assert tile.pixels == b"\x03\x02\x01\x00" * (tile.width * tile.height)


@given(st.text(max_size=60), st.integers(1, 300))
def test_a_line_of_any_text_keeps_within_its_width(text: str, width: int) -> None:
    text = text.encode(errors="replace").decode()
    tile = drawing.text(text, 14, DARK, WHITE, width)
    assert tile.width <= width
    assert len(tile.pixels) == tile.width * tile.height * 4


@given(st.text(alphabet="ab 中文é\n", max_size=80), st.integers(20, 200))
def test_wrapping_loses_nothing_and_keeps_within_the_width(text: str, width: int) -> None:
    lines = drawing.wrapped(text, 14, width)
    assert "".join(lines) == "".join(text.splitlines())
    assert all(drawing.text_width(line, 14) <= width + 2 for line in lines if len(line) > 1)


def test_the_qr_code_fills_its_region_and_has_three_finders() -> None:
    tile = drawing.qr_code()
    assert (tile.width, tile.height) == (QR.width, QR.height)
    dark = tile.pixels.count(bytes((*DARK, 0)))
    assert 0.2 < dark / (tile.width * tile.height) < 0.7


def test_an_unknown_target_or_state_has_no_picture() -> None:
    with pytest.raises(KeyError):
        drawing.button("search")
    with pytest.raises(KeyError):
        drawing.badge("unknown")
