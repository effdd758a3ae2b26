"""The keymap: which key, with which others held, gives which keysym, as the server has it.

Two levels of the first group are used, plain and with Shift. The third level is not: in the core
protocol's view of a map with several groups nothing tells whose level a column is. What cannot be
typed so is put on spare keys. Imports keysyms and the wire's python-xlib.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from windtunnel_real.errors import InputError
from windtunnel_real.x11.keysyms import MODIFIERS, NAMES, PRINTABLE, Chord
from windtunnel_real.x11.xlib import XDisplay

_KEYPAD: Final = range(0xFF80, 0xFFBE)
"""Keysyms of the keypad: Num Lock decides on the level of their keys."""
_SHIFT: Final = NAMES["Shift_L"]
_LAYOUT: Final = "setxkbmap us"


@dataclass(frozen=True, slots=True)
class Stroke:
    """A key to press and release, and those held meanwhile: keycodes."""

    keycode: int
    held: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Keymap:
    """One state of the keyboard's map."""

    strokes: Mapping[int, Stroke]
    """By keysym."""
    spare: tuple[int, ...] = field(default=())
    """Keycodes that give nothing."""

    @property
    def missing(self) -> tuple[int, ...]:
        """The printable ASCII characters that no key gives."""
        return tuple(keysym for keysym in PRINTABLE if keysym not in self.strokes)

    def stroke(self, chord: Chord, name: str) -> Stroke:
        """Return how a chord is pressed; raises `InputError` if the display has no such key."""
        held = tuple(self._find(keysym, name).keycode for keysym in chord.held)
        found = self._find(chord.keysym, name)
        return Stroke(found.keycode, tuple(dict.fromkeys((*held, *found.held))))

    def text(self, text: str) -> tuple[Stroke, ...]:
        """Return how a text is typed; raises `InputError` for a character that no key gives."""
        for character in text:
            if ord(character) not in PRINTABLE:
                raise InputError(
                    f"character {character!r} is not printable ASCII: give it by the clipboard"
                )
        return tuple(self._find(ord(character), character) for character in text)

    def _find(self, keysym: int, name: str) -> Stroke:
        found = self.strokes.get(keysym)
        if found is None:
            raise InputError(
                f"key {name!r}: no key of this display gives it (keysym {keysym:#x}); "
                f"another layout may: `{_LAYOUT}`"
            )
        return found


def make_keymap(first: int, rows: Sequence[Sequence[int]]) -> Keymap:
    """Make a keymap of the keysyms of each keycode from `first` on."""
    strokes: dict[int, Stroke] = {}
    for keysym, keycode in _level(first, rows, 0):
        strokes.setdefault(keysym, Stroke(keycode))
    shift = strokes.get(_SHIFT)
    if shift is not None:
        for keysym, keycode in _level(first, rows, 1):
            strokes.setdefault(keysym, Stroke(keycode, (shift.keycode,)))
    free = [code for code, row in enumerate(rows, first) if code > first and not any(row)]
    return Keymap(strokes, tuple(reversed(free)))


def read_keymap(xdisplay: XDisplay) -> Keymap:
    """Read the map that the server has now."""
    first, last = xdisplay.display.info.min_keycode, xdisplay.display.info.max_keycode
    return make_keymap(first, xdisplay.get_keyboard_mapping(first, last - first + 1))


def fill(missing: Sequence[int], spare: Sequence[int]) -> Mapping[int, tuple[int, ...]]:
    """Return the rows by which spare keys give what is missing, two to a key while they last."""
    pairs = [tuple(missing[start : start + 2]) for start in range(0, len(missing), 2)]
    # Both groups alike; a single one on both levels, or the server would give it an upper case.
    rows = ((pair[0], pair[-1]) * 2 for pair in pairs)
    return dict(zip(spare, rows, strict=False))


def _level(first: int, rows: Sequence[Sequence[int]], level: int) -> Iterator[tuple[int, int]]:
    for keycode, row in enumerate(rows, first):
        if len(row) > level and row[level] and not (level and row[0] in _KEYPAD):
            yield row[level], keycode


assert all(name in NAMES for name in MODIFIERS.values())
