"""The session cache: whose session is known to be open, and who was written to lately.

A session is open in one window: a new window, of whatever identity the caller gives it, has none.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Final

CAPACITY: Final = 32


class SessionCache:
    """The contacts whose sessions were opened, least recently used first, at most `capacity`."""

    __slots__ = ("_capacity", "_contacts", "_open", "_window")

    def __init__(self, capacity: int = CAPACITY) -> None:
        if capacity < 1:
            raise ValueError(f"capacity must be at least 1, not {capacity}")
        self._capacity = capacity
        self._contacts: OrderedDict[str, None] = OrderedDict()
        self._open: str | None = None
        self._window: Hashable = None

    @property
    def contacts(self) -> tuple[str, ...]:
        """The contacts, least recently used first."""
        return tuple(self._contacts)

    def opened(self, contact: str, window: Hashable) -> None:
        """Note that a contact's session is open in a window."""
        self._contacts[contact] = None
        self._contacts.move_to_end(contact)
        if len(self._contacts) > self._capacity:
            self._contacts.popitem(last=False)
        self._open = contact
        self._window = window

    def left(self) -> None:
        """Note that no session is known to be open; the contacts stay."""
        self._open = None

    def forget(self) -> None:
        """Forget everything: nothing is known of the window any more."""
        self._contacts.clear()
        self._open = None

    def is_open(self, contact: str, window: Hashable) -> bool:
        """Tell whether that contact's session is the open one, in that very window."""
        return window is not None and self._open == contact and self._window == window
