"""Keysyms and chords: names are read as they are written, and mistakes come with a hint."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel_real.errors import InputError
from windtunnel_real.x11.keysyms import MODIFIERS, NAMES, PRINTABLE, Chord, keysym_of, parse_chord
from windtunnel_real.x11.xlib import XK

KEYS = st.sampled_from(sorted(NAMES)) | st.sampled_from([chr(code) for code in PRINTABLE])
HELD = st.lists(st.sampled_from(sorted(MODIFIERS)), max_size=3)


@pytest.mark.parametrize(
    ("name", "chord"),
    [
        ("Return", Chord(XK.XK_Return)),
        ("ctrl+v", Chord(XK.XK_v, (XK.XK_Control_L,))),
        ("Ctrl+Shift+Tab", Chord(XK.XK_Tab, (XK.XK_Control_L, XK.XK_Shift_L))),
        ("shift+Tab", Chord(XK.XK_Tab, (XK.XK_Shift_L,))),
        ("KP_Enter", Chord(XK.XK_KP_Enter)),
        ("Escape", Chord(XK.XK_Escape)),
        ("BackSpace", Chord(XK.XK_BackSpace)),
        ("+", Chord(XK.XK_plus)),
        ("ctrl++", Chord(XK.XK_plus, (XK.XK_Control_L,))),
        ("shift", Chord(XK.XK_Shift_L)),
        ("é", Chord(XK.XK_eacute)),
        ("微", Chord(0x1000000 + ord("微"))),
    ],
)
def test_names_are_read_as_written(name: str, chord: Chord) -> None:
    assert parse_chord(name) == chord


@given(HELD, KEYS)
def test_any_key_may_be_pressed_with_any_held(held: list[str], key: str) -> None:
    found = parse_chord("+".join([*held, key]))
    assert found == Chord(keysym_of(key), tuple(keysym_of(word) for word in held))


@given(st.sampled_from(PRINTABLE))
def test_a_printable_character_is_its_own_name(code: int) -> None:
    assert keysym_of(chr(code)) == code


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("Retrun", "did you mean 'Return'"),
        ("return", "did you mean 'Return'"),
        ("Esc", "there is no key 'Esc'"),
        ("ctrl+Entre", "there is no key 'Entre'"),
        ("crtl+v", "'crtl' is nothing to hold"),
        ("v+ctrl", "'v' is nothing to hold"),
        ("", "there is no key ''"),
        ("\n", "there is no key"),
        ("++", "'' is nothing to hold"),
    ],
)
def test_mistakes_are_told_with_a_hint(name: str, hint: str) -> None:
    with pytest.raises(InputError, match=hint):
        parse_chord(name)


def read(name: str) -> Chord | InputError:
    try:
        return parse_chord(name)
    except InputError as error:
        return error


@given(st.text(max_size=12) | st.text("abc+ctrlshiftV", max_size=12))
def test_any_text_is_a_chord_or_a_mistake(name: str) -> None:
    found = read(name)
    assert isinstance(found, InputError) or found.keysym > 0
