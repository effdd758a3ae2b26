"""Keys: what a press means by any map, under any modifiers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from Xlib import XK, X

from windtunnel_real.standin.keys import NAMES, Stroke, stroke, text_of

US = {
    10: [XK.XK_1, XK.XK_exclam],
    38: [XK.XK_a, XK.XK_A],
    39: [XK.XK_a],
    55: [XK.XK_v, XK.XK_V],
    36: [XK.XK_Return],
    104: [XK.XK_KP_Enter],
    50: [XK.XK_Shift_L],
    77: [XK.XK_Num_Lock],
    24: [XK.XK_q, XK.XK_Q, 0x1000444, 0x1000424, XK.XK_at],
    20: [0x100754C],
    79: [XK.XK_KP_Home, XK.XK_KP_7],
}
SHIFT, LOCK, CTRL, ALT, LEVEL3 = X.ShiftMask, X.LockMask, X.ControlMask, X.Mod1Mask, X.Mod5Mask
GROUP2 = 1 << 13


def symbol_at(code: int, index: int) -> int:
    symbols = US.get(code, [])
    return symbols[index] if index < len(symbols) else 0


@pytest.mark.parametrize(
    ("code", "state", "wanted"),
    [
        (38, 0, Stroke("a", "a")),
        (38, SHIFT, Stroke("A", "A")),
        (38, LOCK, Stroke("A", "A")),
        (38, LOCK | SHIFT, Stroke("a", "a")),
        (39, SHIFT, Stroke("A", "A")),
        (10, SHIFT, Stroke("exclam", "!")),
        (10, LOCK, Stroke("1", "1")),
        (24, LEVEL3, Stroke("at", "@")),
        (24, GROUP2, Stroke("Cyrillic", "ф")),
        (24, GROUP2 | SHIFT, Stroke("Cyrillic", "Ф")),
        (20, 0, Stroke("Han", "界")),
        (79, SHIFT, Stroke("KP_7", "7")),
        (79, 0, Stroke("KP_Home")),
        (36, 0, Stroke("Return")),
        (104, 0, Stroke("KP_Enter")),
        (55, CTRL, Stroke("ctrl+v")),
        (55, CTRL | SHIFT, Stroke("ctrl+v")),
        (55, CTRL | ALT, Stroke("ctrl+alt+v")),
        (50, 0, None),
        (77, 0, None),
        (99, 0, None),
    ],
)
def test_a_press(code: int, state: int, wanted: Stroke | None) -> None:
    found = stroke(symbol_at, code, state)
    if wanted is None or found is None:
        assert found is wanted
        return
    assert found.text == wanted.text
    if not wanted.text or wanted.text.isascii():
        assert found.name == wanted.name


@given(st.characters(min_codepoint=0x20, exclude_categories=["Cs", "Cc"]))
def test_a_character_is_its_symbol(letter: str) -> None:
    point = ord(letter)
    assert text_of(point if point <= 0xFF else 0x1000000 + point) == letter
    assert text_of(0x1000000 + point) == letter


def test_keys_that_are_no_text() -> None:
    for name in ("Return", "Escape", "BackSpace", "Down", "Up", "Tab", "F1", "Delete"):
        symbol = XK.string_to_keysym(name)
        assert text_of(symbol) == ""
        assert NAMES[symbol] == name
