"""Keysyms: the names that keys have in X11, and chords written with them (`ctrl+shift+Tab`).

Imports the errors of the real world and python-xlib's tables of names.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from Xlib.keysymdef import latin1, miscellany, xkb

from windtunnel_real.errors import InputError

PRINTABLE: Final = tuple(range(0x20, 0x7F))
"""The printable ASCII characters; their keysyms are the same numbers."""

MODIFIERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "shift": "Shift_L",
        "ctrl": "Control_L",
        "control": "Control_L",
        "alt": "Alt_L",
        "meta": "Meta_L",
        "super": "Super_L",
    }
)
"""What stands before a `+`, and the key that is held for it. Case does not matter."""

_LATIN_1: Final = 0x100
_UNICODE: Final = 0x1000000


@dataclass(frozen=True, slots=True)
class Chord:
    """A key, and the keys that are held while it is pressed: keysyms."""

    keysym: int
    held: tuple[int, ...] = ()


def parse_chord(name: str) -> Chord:
    """Read `Return`, `ctrl+v`, `shift+Tab`, `a`, `+` or `ctrl++`; raises `InputError`."""
    last = "+" if name.endswith("+") else name.rpartition("+")[2]
    before = name.removesuffix(last)
    words = [] if not before else before.removesuffix("+").split("+")
    return Chord(keysym_of(last), tuple(keysym_of(_modifier(word, name)) for word in words))


def keysym_of(name: str) -> int:
    """Return the keysym of a name or of a single character; raises `InputError` with a hint."""
    found = NAMES.get(name) or NAMES.get(MODIFIERS.get(name.lower(), ""))
    if found is not None:
        return found
    if len(name) == 1 and name.isprintable():
        return ord(name) if ord(name) < _LATIN_1 else _UNICODE + ord(name)
    raise InputError(f"there is no key {name!r}{_hint(name, NAMES)}")


def _modifier(word: str, name: str) -> str:
    if word.lower() in MODIFIERS:
        return MODIFIERS[word.lower()]
    known = ", ".join(MODIFIERS)
    raise InputError(f"key {name!r}: {word!r} is nothing to hold (there is {known})")


def _hint(name: str, among: Mapping[str, int]) -> str:
    by_small = {known.lower(): known for known in among}
    near = difflib.get_close_matches(name.lower(), by_small, n=1)
    return f"; did you mean {by_small[near[0]]!r}?" if near else ""


def _names(*modules: Any) -> Iterator[tuple[str, int]]:  # noqa: ANN401 - modules without types
    for module in modules:
        for name, value in vars(module).items():
            if name.startswith("XK_"):
                yield name.removeprefix("XK_"), value


NAMES: Final[Mapping[str, int]] = MappingProxyType(dict(_names(miscellany, latin1, xkb)))
"""Keysyms by name, as `xev` and `xdotool` write them: `Return`, `KP_Enter`, `exclam`."""
