"""Keys: what a key press of the display means: a text, or a key by name with its modifiers.

By the symbols of the keyboard's map as it is, so that any map will do. Imports nothing of the
project.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from Xlib import XK, X

SymbolAt = Callable[[int, int], int]
"""(code, index) → the symbol of a key, 0 for none."""

NAMES: Final = {
    value: name.removeprefix("XK_")
    for name, value in sorted(vars(XK).items(), reverse=True)
    if name.startswith("XK_")
}
"""Symbol → its name; of several the first in the alphabet."""
HELD: Final = (
    (X.ControlMask, "ctrl"),
    (X.Mod1Mask, "alt"),
    (X.Mod4Mask, "super"),
)
"""The modifiers that make a letter no text, in the order of a key's name."""
_UNICODE: Final = 0x01000000
_EURO: Final = 0x20AC
_KEYPAD: Final = range(0xFFAA, 0xFFBA)


@dataclass(frozen=True, slots=True)
class Stroke:
    """A key press: `text`, or if that is empty the key `name`: `Return`, `ctrl+v`."""

    name: str
    text: str = ""


def stroke(symbol_at: SymbolAt, code: int, state: int) -> Stroke | None:
    """Return what a press of the key `code` means under the modifiers `state`; None: nothing.

    A modifier by itself means nothing.
    """
    symbol = _symbol(symbol_at, code, state)
    if not symbol or _is_modifier(symbol):
        return None
    held = [name for mask, name in HELD if state & mask]
    if not held:
        text = text_of(symbol)
        if text:
            return Stroke(_name(symbol), text)
        return Stroke(_name(symbol))
    plain = symbol_at(code, 0) or symbol
    return Stroke("+".join([*held, _name(plain)]))


def text_of(symbol: int) -> str:
    """Return the character that a symbol stands for, `""` if it is none."""
    if 0x20 <= symbol <= 0x7E or 0xA0 <= symbol <= 0xFF:  # noqa: PLR2004 - Latin-1 is itself
        return chr(symbol)
    if symbol in _KEYPAD:
        return chr(symbol - 0xFF80)
    if symbol == _EURO:
        return "€"
    point = symbol - _UNICODE
    if 0x20 <= point <= 0x10FFFF and not 0xD800 <= point <= 0xDFFF:  # noqa: PLR2004 - Unicode's bounds
        return chr(point)
    return ""


def _symbol(symbol_at: SymbolAt, code: int, state: int) -> int:
    """Return the symbol of a key on the level and in the group that the modifiers choose."""
    group, shift = (state >> 13) & 3, bool(state & X.ShiftMask)
    base = 4 if state & X.Mod5Mask else 2 * min(group, 1)
    symbol = symbol_at(code, base + shift)
    if not symbol:
        symbol = symbol_at(code, base) or symbol_at(code, int(shift)) or symbol_at(code, 0)
        if shift:
            symbol = _other_case(symbol, upper=True)
    if state & X.LockMask:
        symbol = _other_case(symbol, upper=not shift)
    return symbol


def _other_case(symbol: int, *, upper: bool) -> int:
    letter = text_of(symbol)
    other = letter.upper() if upper else letter.lower()
    if not letter.isalpha() or len(other) != 1:
        return symbol
    return ord(other) if ord(other) <= 0xFF else _UNICODE + ord(other)  # noqa: PLR2004 - Latin-1


def _is_modifier(symbol: int) -> bool:
    return (
        0xFFE1 <= symbol <= 0xFFEE  # noqa: PLR2004 - Shift_L to Hyper_R
        or 0xFE01 <= symbol <= 0xFE0F  # noqa: PLR2004 - ISO_Lock to ISO_Last_Group_Lock
        or symbol in (XK.XK_Mode_switch, XK.XK_Num_Lock)
    )


def _name(symbol: int) -> str:
    return NAMES.get(symbol) or text_of(symbol) or f"{symbol:#x}"
