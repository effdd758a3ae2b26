"""A program that asks for the clipboard, step by step: what an owner answers it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from windtunnel_real.display.address import DisplayAddress, as_environment
from windtunnel_real.x11.xlib import X, display, request

PLACE = "WINDTUNNEL_TEST_ASKED"


class Asker:
    """A connection with a window that nobody sees."""

    def __init__(self, address: DisplayAddress) -> None:
        with as_environment(address):
            self.display = display.Display(address.name)
        self.window: Any = self.new_window()
        self.place: int = self.display.get_atom(PLACE)
        self.clipboard: int = self.display.get_atom("CLIPBOARD")

    def new_window(self) -> Any:
        return self.display.screen().root.create_window(
            0, 0, 1, 1, 0, X.CopyFromParent, event_mask=X.PropertyChangeMask
        )

    def atom(self, name: str) -> int:
        return int(self.display.get_atom(name))

    def name(self, atom: int) -> str:
        return str(self.display.get_atom_name(atom))

    def owner(self) -> int:
        """Return the owner's window, 0 for none."""
        found = self.display.get_selection_owner(self.clipboard)
        return int(getattr(found, "id", found))

    def ask(self, target: str) -> bool:
        """Ask for the clipboard as `target`, and return whether it was written."""
        self.window.convert_selection(self.clipboard, self.atom(target), self.place, X.CurrentTime)
        return bool(self.answer().property)

    def answer(self) -> Any:
        """Wait for the next answer of the owner."""
        while (got := self.display.next_event()).type != X.SelectionNotify:
            pass
        return got

    def written(self) -> tuple[str, Any]:
        """Return the type and value of what the owner wrote, and leave it there."""
        found = self.window.get_full_property(self.place, X.AnyPropertyType)
        return self.name(found.property_type), found.value

    def delete(self) -> None:
        """Say that it was read."""
        self.window.delete_property(self.place)
        self.display.sync()

    def read(self, target: str = "UTF8_STRING") -> str | None:
        """Ask, read and delete; None when it is refused."""
        if not self.ask(target):
            return None
        _, value = self.written()
        self.delete()
        return bytes(value).decode("latin-1" if target == "STRING" else "utf-8")

    def next_part(self) -> bytes:
        """Wait for the next part of a big text, read and delete it."""
        while True:
            got = self.display.next_event()
            if got.type == X.PropertyNotify and got.state == X.PropertyNewValue:
                found = self.window.get_full_property(got.atom, X.AnyPropertyType)
                if found is not None:
                    self.delete()
                    return bytes(found.value)

    def take(self) -> None:
        """Take the clipboard, as a program does in which somebody copies."""
        self.window.set_selection_owner(self.clipboard, X.CurrentTime)
        self.display.sync()

    def drop(self) -> None:
        """Leave the clipboard to nobody."""
        request.SetSelectionOwner(
            display=self.display.display,
            window=X.NONE,
            selection=self.clipboard,
            time=X.CurrentTime,
        )
        self.display.sync()


@contextmanager
def asker(address: DisplayAddress) -> Iterator[Asker]:
    """Give an asker for as long as the block takes."""
    made = Asker(address)
    try:
        yield made
    finally:
        made.display.close()
