"""The keyboard under control: its map known, no repeat, no lock, nothing held by anybody.

Its methods belong into jobs of one connection: they talk to the server. Imports the keymap, XKB and
python-xlib.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from windtunnel_real.errors import InputError
from windtunnel_real.x11.keymap import Keymap, Stroke, fill, read_keymap
from windtunnel_real.x11.keysyms import parse_chord
from windtunnel_real.x11.xkb import Xkb
from windtunnel_real.x11.xlib import X, XDisplay, request

_MODIFIERS_AND_GROUP: Final = 0x60FF
"""Of the state that a pointer is told with: eight modifiers, two bits of the group in force."""


class Keyboard:
    """The keyboard of one display. Its methods are for jobs of one connection."""

    def __init__(self) -> None:
        self._xkb: Xkb | None = None
        self._repeat: int | None = None
        self._added: list[int] = []
        self._read_at = -1
        self._keymap = Keymap({})

    def take_over(self, xdisplay: XDisplay) -> None:
        """Take it, once: repeat off, and nothing held by anybody.

        Goes on where it was broken off. Raises `InputError` when the server has no XTEST or no XKB.
        """
        if not xdisplay.has_extension("XTEST"):
            raise InputError("this X server has no XTEST extension: it takes no input from us")
        if self._xkb is None:
            self._xkb = Xkb(xdisplay)
        if self._repeat is None:
            self._repeat = xdisplay.get_keyboard_control().global_auto_repeat
            xdisplay.change_keyboard_control(auto_repeat_mode=X.AutoRepeatModeOff)
        self.calm(xdisplay)

    def chord(self, xdisplay: XDisplay, name: str) -> Stroke:
        """Return how `ctrl+v` is pressed now; raises `InputError` for what there is not."""
        return self._current(xdisplay).stroke(parse_chord(name), name)

    def text(self, xdisplay: XDisplay, text: str) -> tuple[Stroke, ...]:
        """Return how a text of printable ASCII is typed now; raises `InputError`."""
        return self._current(xdisplay).text(text)

    def changed(self, xdisplay: XDisplay, text: str, strokes: tuple[Stroke, ...]) -> bool:
        """Tell whether by now a text would be typed in another way than it was."""
        return self._read_at != xdisplay.mappings and self.text(xdisplay, text) != strokes

    def calm(self, xdisplay: XDisplay) -> None:
        """Let go of keys, buttons, locks and groups, whoever holds them; one round trip if none.

        Raises `InputError` for what stays down: a hand on a real keyboard.
        """
        if self._let_go(xdisplay) and (still := self._let_go(xdisplay)):
            raise InputError(
                f"{', '.join(still)} held down by somebody, and not to be let go from here: "
                f"see to the display's own keyboard and mouse"
            )

    def give_back(self, xdisplay: XDisplay) -> None:
        """Leave the keyboard as it was found; nothing happens if it was not taken."""
        for keycode in self._added:
            xdisplay.change_keyboard_mapping(keycode, [(0, 0, 0, 0)])
        self._added.clear()
        if self._repeat is not None:
            self.calm(xdisplay)
            xdisplay.change_keyboard_control(auto_repeat_mode=self._repeat)
        self._repeat = None

    def _current(self, xdisplay: XDisplay) -> Keymap:
        # Kept once it is whole: any request may be the one at which the time is over.
        while self._read_at != (told := xdisplay.mappings):
            keymap = read_keymap(xdisplay)
            for keycode, row in fill(keymap.missing, keymap.spare).items():
                self._added.append(keycode)
                xdisplay.change_keyboard_mapping(keycode, [row])
            xdisplay.sync()
            self._keymap, self._read_at = keymap, told
        return self._keymap

    def _let_go(self, xdisplay: XDisplay) -> list[str]:
        # Both asked before the first is waited for: one round trip.
        keys = request.QueryKeymap(display=xdisplay.display, defer=True)
        state = xdisplay.screen().root.query_pointer().mask
        keys.reply()
        held: list[str] = []
        for keycode in _set_bits(keys.map):
            xdisplay.xtest_fake_input(X.KeyRelease, keycode)
            held.append(f"key {keycode}")
        for button in range(1, 6):
            if state & X.Button1Mask << button - 1:
                xdisplay.xtest_fake_input(X.ButtonRelease, button)
                held.append(f"button {button}")
        if self._xkb is not None and state & _MODIFIERS_AND_GROUP:
            self._xkb.let_go(xdisplay)
            held.append("a modifier or lock")
        return held


def _set_bits(octets: list[int]) -> Iterator[int]:
    for index, octet in enumerate(octets):
        if octet:
            yield from (index * 8 + bit for bit in range(8) if octet >> bit & 1)
