"""The keymap: whatever the map, a key that is pressed gives what was asked for, or is refused."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel_real.errors import InputError
from windtunnel_real.x11.keymap import Keymap, Stroke, fill, make_keymap
from windtunnel_real.x11.keysyms import NAMES, PRINTABLE, parse_chord

FIRST = 8
SHIFT = NAMES["Shift_L"]
KEYSYMS = st.sampled_from([0, *PRINTABLE, NAMES["KP_1"], NAMES["KP_End"], NAMES["Return"]])
ROWS = st.lists(st.lists(KEYSYMS, min_size=4, max_size=4), min_size=1, max_size=60)


def with_shift(rows: list[list[int]]) -> list[list[int]]:
    return [*rows, [SHIFT, 0, SHIFT, 0]]


def given_by(rows: list[list[int]], stroke: Stroke) -> int:
    """Return what a server gives for a stroke, by the core protocol's rules for two levels."""
    held = {rows[code - FIRST][0] for code in stroke.held}
    assert held <= {SHIFT}
    return rows[stroke.keycode - FIRST][1 if held else 0]


@given(ROWS)
def test_a_stroke_gives_its_keysym(rows: list[list[int]]) -> None:
    rows = with_shift(rows)
    for keysym, stroke in make_keymap(FIRST, rows).strokes.items():
        assert given_by(rows, stroke) == keysym


@given(ROWS)
def test_every_printable_character_is_given_or_missing(rows: list[list[int]]) -> None:
    rows = with_shift(rows)
    keymap = make_keymap(FIRST, rows)
    here = {keysym for row in rows for keysym in row[:1]}
    here |= {row[1] for row in rows if row[0] not in range(0xFF80, 0xFFBE)}
    assert set(keymap.missing) == set(PRINTABLE) - here


@given(ROWS)
def test_what_is_missing_fits_onto_spare_keys(rows: list[list[int]]) -> None:
    rows = with_shift(rows)
    keymap = make_keymap(FIRST, rows)
    added = fill(keymap.missing, keymap.spare)
    assert added.keys() <= set(keymap.spare)
    assert FIRST not in keymap.spare
    for keycode, row in added.items():
        assert not any(rows[keycode - FIRST])
        rows[keycode - FIRST] = list(row)
    left = make_keymap(FIRST, rows).missing
    assert len(left) == max(0, len(keymap.missing) - 2 * len(keymap.spare))


def test_the_plain_level_is_preferred() -> None:
    keymap = make_keymap(FIRST, with_shift([[ord("1"), ord("<")], [ord("<"), ord(">")]]))
    assert keymap.strokes[ord("<")] == Stroke(FIRST + 1)
    assert keymap.strokes[ord(">")] == Stroke(FIRST + 1, (FIRST + 2,))


def test_a_chord_holds_what_it_says_and_what_its_key_needs() -> None:
    control = NAMES["Control_L"]
    keymap = make_keymap(FIRST, with_shift([[ord("v"), ord("V")], [control, 0]]))
    v, ctrl, shift = FIRST, FIRST + 1, FIRST + 2
    assert keymap.stroke(parse_chord("ctrl+v"), "") == Stroke(v, (ctrl,))
    assert keymap.stroke(parse_chord("ctrl+V"), "") == Stroke(v, (ctrl, shift))
    assert keymap.stroke(parse_chord("shift+V"), "") == Stroke(v, (shift,))


def test_without_shift_there_is_no_upper_level() -> None:
    keymap = make_keymap(FIRST, [[ord("v"), ord("V")]])
    with pytest.raises(InputError, match="key 'V': no key of this display gives it"):
        keymap.text("V")


@given(st.text(min_size=1))
def test_what_is_not_printable_ascii_is_refused(text: str) -> None:
    keymap = Keymap({code: Stroke(code) for code in PRINTABLE})
    if all(ord(character) in PRINTABLE for character in text):
        assert [stroke.keycode for stroke in keymap.text(text)] == [ord(char) for char in text]
    else:
        with pytest.raises(InputError, match="is not printable ASCII"):
            keymap.text(text)
