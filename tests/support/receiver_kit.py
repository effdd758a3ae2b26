"""A window that takes text, and nothing else: what arrives in it is what a program would get.

It reads keys by their keysyms through the keyboard's map as the server has it at that moment, and
on ctrl+v asks the owner of CLIPBOARD for the text; keys that come while the answer is on its way
are taken first, as toolkits do. Its thread owns a connection of its own. What it got is asked
through the X server, behind all that was sent to it before.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from windtunnel_real.display.address import DisplayAddress, as_environment
from windtunnel_real.x11.xlib import XK, X, display, error, event

PATIENCE_S = 60.0
_MARK = "WINDTUNNEL_TEST_MARK"
_PLACE = "WINDTUNNEL_TEST_PASTE"
_NAMES = {XK.XK_Return: "\n", XK.XK_Tab: "\t", XK.XK_space: " "}


class Receiver:
    """The window, mapped and in focus once it is made."""

    def __init__(
        self,
        address: DisplayAddress,
        *,
        pastes: bool = True,
        deletes: bool = True,
        cls: str = "box",
    ) -> None:
        self.address = address
        self._pastes, self._deletes = pastes, deletes
        self._connect(address, cls)
        self.received = ""
        self.clicks: list[tuple[int, int]] = []
        self.synthetic = 0
        self._pending = 0
        self._parts: list[bytes] | None = None
        self._marks: dict[int, threading.Event] = {}
        self._thread = threading.Thread(target=self._live, name="receiver", daemon=True)
        self._thread.start()

    def take(self) -> str:
        """Return what has arrived so far, pastes on their way included, and forget it."""
        self._drain()
        found, self.received = self.received, ""
        return found

    def focus(self) -> None:
        """Give its window the focus."""
        self._asking.set_input_focus(self.id, X.RevertToParent, X.CurrentTime)
        self._asking.sync()

    def close(self) -> None:
        """Close its window and end its thread; a server that is gone has ended it already."""
        with suppress(error.ConnectionClosedError):
            self._tell(0)
        self._thread.join(PATIENCE_S)
        with suppress(error.ConnectionClosedError):
            self._asking.close()

    # ------------------------------------------------------------ other threads

    def _connect(self, address: DisplayAddress, cls: str) -> None:
        with as_environment(address):
            self._display = display.Display(address.name)
            self._asking = display.Display(address.name)
        self.window: Any = self._display.screen().root.create_window(
            10, 10, 200, 100, 0, X.CopyFromParent, event_mask=X.KeyPressMask | X.ButtonPressMask
        )
        self.window.set_wm_class(cls, cls)
        self.window.map()
        self._display.sync()
        self.id: int = self.window.id
        # A window manager maps it in its own time.
        there = self._asking.create_resource_object("window", self.id)
        self._until(lambda: bool(there.get_attributes().map_state == X.IsViewable))
        self.focus()

    def _until(self, condition: Callable[[], bool]) -> None:
        pause = threading.Event()
        for _ in range(int(PATIENCE_S / 0.01)):
            if condition():
                return
            pause.wait(0.01)
        raise AssertionError("it did not come about")

    def _drain(self) -> None:
        number = len(self._marks) + 1
        self._marks[number] = threading.Event()
        self._tell(number)
        assert self._marks[number].wait(PATIENCE_S), "the receiver did not answer"

    def _tell(self, number: int) -> None:
        mark = event.ClientMessage(
            window=self.id,
            client_type=self._asking.get_atom(_MARK),
            data=(32, [number, 0, 0, 0, 0]),
        )
        window = self._asking.create_resource_object("window", self.id)
        window.send_event(mark, event_mask=X.NoEventMask)
        self._asking.sync()

    # ------------------------------------------------------------ its thread

    def _live(self) -> None:
        with suppress(error.ConnectionClosedError):
            self._serve()

    def _serve(self) -> None:
        waiting: list[int] = []
        while True:
            while waiting and not self._pending:
                self._marks[waiting.pop()].set()
            got = self._display.next_event()
            if got.type == X.ClientMessage:
                number = got.data[1][0]
                if not number:
                    break
                waiting.append(number)
            else:
                self._take_event(got)
        self._display.close()

    def _take_event(self, got: Any) -> None:
        if got.type == X.KeyPress:
            self.synthetic += bool(got.send_event)
            self._key(got.detail, got.state)
        elif got.type == X.ButtonPress:
            self.clicks.append((got.root_x, got.root_y))
        elif got.type == X.MappingNotify:
            self._display.refresh_keyboard_mapping(got)
        elif got.type == X.SelectionNotify:
            self._pasted(got.property)
        elif got.type == X.PropertyNotify and got.state == X.PropertyNewValue:
            self._part(got.atom)

    def _key(self, code: int, state: int) -> None:
        keysym = self._display.keycode_to_keysym(code, 1 if state & X.ShiftMask else 0)
        if state & X.ControlMask:
            if keysym == XK.XK_v and self._pastes:
                self._paste()
        else:
            self.received += char_of(keysym)

    def _paste(self) -> None:
        self._pending += 1
        clipboard, utf8, place = map(self._display.get_atom, ("CLIPBOARD", "UTF8_STRING", _PLACE))
        self.window.convert_selection(clipboard, utf8, place, X.CurrentTime)

    def _pasted(self, place: int) -> None:
        if not place:
            self._pending -= 1
            return
        incr = self._display.get_atom("INCR")
        found = self.window.get_full_property(place, X.AnyPropertyType)
        if found.property_type == incr:
            self._parts = []
            self.window.change_attributes(
                event_mask=X.KeyPressMask | X.ButtonPressMask | X.PropertyChangeMask
            )
            self.window.delete_property(place)
            return
        self._insert(bytes(found.value))
        if self._deletes:
            self.window.delete_property(place)
            self._display.flush()

    def _part(self, place: int) -> None:
        if self._parts is None or place != self._display.get_atom(_PLACE):
            return
        found = self.window.get_full_property(place, X.AnyPropertyType)
        if found is None:
            return
        self._parts.append(bytes(found.value))
        self.window.delete_property(place)
        self._display.flush()
        if not self._parts[-1]:
            parts, self._parts = self._parts, None
            self._insert(b"".join(parts))

    def _insert(self, data: bytes) -> None:
        self.received += data.decode()
        self._pending -= 1


def char_of(keysym: int) -> str:
    """Return the character of a keysym; none of a modifier or a key that gives no text."""
    if keysym in _NAMES:
        return _NAMES[keysym]
    if keysym & 0xFF000000 == 0x01000000:
        return chr(keysym & 0xFFFFFF)
    return chr(keysym) if 0x20 <= keysym <= 0xFF else ""


@contextmanager
def receiver(address: DisplayAddress, **how: Any) -> Iterator[Receiver]:
    """Give a receiver for as long as the block takes."""
    made = Receiver(address, **how)
    try:
        yield made
    finally:
        made.close()
