"""The words of xdotool: a command as it reads it, in an argument list or in a line of a script.

Read off xdotool 3.20160805 to 4.20260303, whose sources agree in all that is used here: in a
script a word ends at a space or its closing quote, nothing is escaped, a word that begins with a
dollar is looked up, and a line has 4,095 bytes at most. Nothing here waits inside xdotool
(`--sync`): what it waits for may never come. Imports the key names of python-xlib.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from itertools import islice
from types import MappingProxyType
from typing import Final

from windtunnel_real.errors import InputError
from windtunnel_real.x11.xlib import XK

Words = tuple[str, ...]

FOCUSED: Final = ("--window", "0")
"""Whatever has the focus, by XTEST; without it a window that was once asked for gets the keys."""
DOLLAR: Final = "$"
"""The one positional argument that a script is started with: the word `$1` is a dollar."""
TYPED_AT_ONCE: Final = 900
"""Characters in one `type`: each takes 4 bytes of a line at most."""

_MODIFIERS: Final = """
ctrl control shift alt meta super ISO_Level3_Shift
Control_L Control_R Shift_L Shift_R Alt_L Alt_R Super_L Super_R
"""
_NAMED: Final = """
Return Escape BackSpace Tab ISO_Left_Tab Delete Insert Home End Prior Next Page_Up Page_Down
Left Right Up Down Menu Print Pause Scroll_Lock Caps_Lock Num_Lock
F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 F11 F12
KP_Enter KP_Add KP_Subtract KP_Multiply KP_Divide KP_Insert KP_Delete
KP_Home KP_End KP_Up KP_Down KP_Left KP_Right KP_Prior KP_Next
"""
_ASCII: Final[Mapping[str, str]] = MappingProxyType(
    {
        name.removeprefix("XK_"): chr(keysym)
        for name, keysym in vars(XK).items()
        if name.startswith("XK_") and " " <= chr(keysym) <= "~"
    }
)
_NAME_OF: Final[Mapping[str, str]] = MappingProxyType({char: name for name, char in _ASCII.items()})
MODIFIERS: Final = frozenset(_MODIFIERS.split())
KEYS: Final = MODIFIERS | frozenset(_NAMED.split()) | _ASCII.keys()
"""The keys that the `us` layout has. xdotool would bind any other to a spare key for a moment."""

_PIECES: Final = re.compile(r'[$"]|[^$"][^"]*')
_UNPRINTABLE: Final = re.compile(r"[^ -~]")


def click_words(x: int, y: int, delay_ms: int | None) -> Words:
    """Return the command that moves the pointer there and clicks its first button."""
    return ("mousemove", "--", str(x), str(y), "click", *_delay(delay_ms), "1")


def key_words(name: str, count: int, delay_ms: int | None) -> Words:
    """Return the command that presses and releases a key (`Return`, `ctrl+v`, `.`).

    Raises `InputError` for a key that the `us` layout does not have, and a count below 1.
    """
    if count < 1:
        raise InputError(f"key {name}: it is pressed at least once, not {count} times")
    return ("key", *_delay(delay_ms), *FOCUSED, "--repeat", str(count), "--", chord(name))


def chord(name: str) -> str:
    """Return a key with its modifiers as xdotool spells it; raises `InputError` as `key_words`."""
    *modifiers, key = [name] if len(name) == 1 else re.split(r"(?<=[^+])\+", name)
    wrong = [one for one in modifiers if one not in MODIFIERS]
    key = _NAME_OF.get(key, key)
    if key not in KEYS:
        wrong.append(key)
    if wrong:
        raise InputError(f"key {name!r}: the keyboard has no {wrong[0]!r}{_near(wrong[0])}")
    return "+".join((*modifiers, key))


def type_words(text: str, delay_ms: int | None) -> Iterator[Words]:
    """Yield the commands that type a text key by key, each of them short enough for a line.

    Raises `InputError`, at once, for what is not printable ASCII.
    """
    if found := _UNPRINTABLE.search(text):
        raise InputError(
            f"character {found.start() + 1} of the text, {found[0]!r}, is not printable ASCII: "
            "no key gives it; hand it over through the clipboard"
        )
    return _typing(text, delay_ms)


def _typing(text: str, delay_ms: int | None) -> Iterator[Words]:
    for start in range(0, len(text), TYPED_AT_ONCE):
        pieces = _PIECES.findall(text[start : start + TYPED_AT_ONCE])
        yield ("type", *_delay(delay_ms), *FOCUSED, "--", *pieces)


def script_line(words: Words) -> str:
    """Return a command as a line of a script that was started with the argument `DOLLAR`."""
    return " ".join(map(_quoted, words)) + "\n"


def _quoted(word: str) -> str:
    if word == DOLLAR:
        return "$1"
    return f"'{word}'" if word.startswith('"') else f'"{word}"'


def _delay(delay_ms: int | None) -> Words:
    return () if delay_ms is None else ("--delay", str(delay_ms))


def _near(name: str) -> str:
    found = difflib.get_close_matches(name, KEYS, n=1) or list(
        islice((key for key in sorted(KEYS) if key.lower() == name.lower()), 1)
    )
    return f"; did you mean {found[0]!r}?" if found else ""
