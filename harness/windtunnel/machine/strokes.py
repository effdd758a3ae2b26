"""Strokes: what a key means that is given by name, on a keyboard with the layout `us`.

The worlds agree on it: which names there are, which of them are a text, and what no keyboard or
clipboard can give. Imports the errors.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from windtunnel.errors import BridgeError

KEY_NOT_FOUND: Final = "KEY_NOT_FOUND"
"""The code of a key that no such keyboard has."""
TEXT_NOT_TYPABLE: Final = "TEXT_NOT_TYPABLE"
"""The code of a text with something in it that stands for no character."""

MODIFIERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "shift": "shift",
        "ctrl": "ctrl",
        "control": "ctrl",
        "alt": "alt",
        "meta": "alt",
        "super": "super",
    }
)
"""What stands before a `+`, in any case → what is held then."""
_HELD: Final = ("ctrl", "alt", "super")
"""What makes a key no text, in the order of its name."""

_PLAIN: Final = "`1234567890-=[]\\;',./<abcdefghijklmnopqrstuvwxyz"
_SHIFTED: Final = '~!@#$%^&*()_+{}|:"<>?>ABCDEFGHIJKLMNOPQRSTUVWXYZ'
_UPPER: Final = dict(zip(_PLAIN, _SHIFTED, strict=True))
_CHARACTERS: Final = frozenset(map(chr, range(0x20, 0x7F)))
_NAMED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "space": " ",
        "exclam": "!",
        "quotedbl": '"',
        "numbersign": "#",
        "dollar": "$",
        "percent": "%",
        "ampersand": "&",
        "apostrophe": "'",
        "quoteright": "'",
        "parenleft": "(",
        "parenright": ")",
        "asterisk": "*",
        "plus": "+",
        "comma": ",",
        "minus": "-",
        "period": ".",
        "slash": "/",
        "colon": ":",
        "semicolon": ";",
        "less": "<",
        "equal": "=",
        "greater": ">",
        "question": "?",
        "at": "@",
        "bracketleft": "[",
        "backslash": "\\",
        "bracketright": "]",
        "asciicircum": "^",
        "underscore": "_",
        "grave": "`",
        "quoteleft": "`",
        "braceleft": "{",
        "bar": "|",
        "braceright": "}",
        "asciitilde": "~",
        "plusminus": "±",
        "KP_Multiply": "*",
        "KP_Add": "+",
        "KP_Subtract": "-",
        "KP_Decimal": ".",
        "KP_Divide": "/",
    }
)
"""Name of a key → the character it gives."""
_KEYPAD: Final[Mapping[str, str]] = MappingProxyType(
    {
        "KP_Insert": "0",
        "KP_End": "1",
        "KP_Down": "2",
        "KP_Next": "3",
        "KP_Page_Down": "3",
        "KP_Left": "4",
        "KP_Begin": "5",
        "KP_Right": "6",
        "KP_Home": "7",
        "KP_Up": "8",
        "KP_Prior": "9",
        "KP_Page_Up": "9",
        "KP_Delete": ".",
    }
)
"""Key of the keypad → the character it gives with Shift."""
_OTHERS: Final = frozenset(
    {
        *("BackSpace", "Tab", "Linefeed", "Return", "Pause", "Scroll_Lock", "Sys_Req"),
        *("Escape", "Delete", "Muhenkan", "Henkan_Mode", "Henkan", "Hiragana", "Katakana"),
        *("Hiragana_Katakana", "Home", "Left", "Up", "Right", "Down", "Prior", "Page_Up"),
        *("Next", "Page_Down", "End", "Print", "Insert", "Undo", "Redo", "Menu", "Find"),
        *("Cancel", "Help", "Break", "KP_Enter", "KP_Equal", "F1", "F2", "F3", "F4", "F5"),
        *("F6", "F7", "F8", "F9", "F10", "F11", "L1", "F12", "L2", "ISO_Left_Tab"),
    }
)
_SILENT: Final = frozenset(
    {
        *("Mode_switch", "script_switch", "Num_Lock", "Shift_L", "Shift_R", "Control_L"),
        *("Control_R", "Caps_Lock", "Meta_L", "Meta_R", "Alt_L", "Alt_R", "Super_L"),
        *("Super_R", "Hyper_L", "ISO_Level3_Shift", "ISO_Group_Shift"),
    }
)
"""Keys that mean nothing by themselves."""


@dataclass(frozen=True, slots=True)
class Stroke:
    """A key press: a `text`, or if that is empty the key `name` (`ctrl+v`; `""`: it is silent)."""

    name: str
    text: str = ""


@lru_cache(maxsize=256)
def read_stroke(name: str) -> Stroke:
    """Read `Return`, `ctrl+v`, `shift+Tab`, `a`, `+` or `ctrl++`; raises KEY_NOT_FOUND."""
    last = "+" if name.endswith("+") else name.rpartition("+")[2]
    before = name.removesuffix(last)
    words = before.removesuffix("+").split("+") if before else ()
    held = {_modifier(word, name) for word in words}
    text = _text(last, shift="shift" in held)
    if text is None and last not in (_SILENT | _OTHERS | set(_KEYPAD)):
        if last.lower() not in MODIFIERS:
            raise BridgeError(KEY_NOT_FOUND, f"there is no key {last!r} on a keyboard")
        return Stroke("")
    if last in _SILENT:
        return Stroke("")
    chord = [word for word in _HELD if word in held]
    if not chord:
        return Stroke(last, text or "")
    return Stroke("+".join([*chord, _plain(last)]))


def check_text(text: str) -> None:
    """Raise TEXT_NOT_TYPABLE for what no program can be given: lone surrogates, NUL."""
    for place, character in enumerate(text, 1):
        if character == "\0" or "\ud800" <= character <= "\udfff":
            raise BridgeError(
                TEXT_NOT_TYPABLE,
                f"character {place} of the text, U+{ord(character):04X}, cannot be typed or "
                "pasted: it stands for nothing",
            )


def _modifier(word: str, name: str) -> str:
    if word.lower() not in MODIFIERS:
        known = ", ".join(MODIFIERS)
        raise BridgeError(
            KEY_NOT_FOUND, f"key {name!r}: {word!r} is nothing to hold (there is {known})"
        )
    return MODIFIERS[word.lower()]


def _text(key: str, *, shift: bool) -> str | None:
    """Return the character that a key gives; None for a key that gives none, or is none."""
    if key in _KEYPAD:
        return _KEYPAD[key] if shift else None
    if key.startswith("KP_"):
        return _NAMED.get(key)
    plain = key if key in _CHARACTERS else _NAMED.get(key)
    return _UPPER.get(plain, plain) if shift and plain is not None else plain


def _plain(key: str) -> str:
    """Return what the key is called under a modifier: as it is without Shift."""
    return key.lower() if len(key) == 1 else key
