"""Accesses: what each step of the simulated world reads and writes.

Exploration lives on this log (which steps of different tasks conflict). Nobody listens by default,
and then a report costs one attribute look-up.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, Literal

Mode = Literal["read", "write"]
Listener = Callable[[str, Mode], None]


class AccessLog:
    """Where the objects of one world report their accesses."""

    __slots__ = ("listener",)

    def __init__(self) -> None:
        self.listener: Listener | None = None
        """Called with the resource and the mode of each access, in the order of the steps."""

    def report(self, resource: str, mode: Mode) -> None:
        """Say that the running step reads or writes a resource."""
        if self.listener is not None:
            self.listener(resource, mode)


def _row(**modes: Mode) -> Mapping[str, Mode]:
    return MappingProxyType(modes)


_POINTER: Final = _row(pointer="write", focus="write")
_KEYS: Final = _row(focus="read", keys="write")
_LOOK: Final = _row(pixels="read")

COMMAND_ACCESSES: Final[Mapping[str, Mapping[str, Mode]]] = MappingProxyType(
    {
        "activate": _row(focus="write", windows="read"),
        # Looks.
        "verify": _LOOK,
        "screenshot": _LOOK,
        "crop": _row(),
        # Keys: they go to whatever has the focus.
        "key_down": _KEYS,
        "key_enter": _KEYS,
        "type_query": _row(focus="read", keys="write", search_box="write"),
        "type_text": _row(focus="read", keys="write", input_box="write"),
        "type_path": _row(focus="read", keys="write", input_box="write"),
        # Clicks: they move the pointer, and the focus with it.
        "focus_input": _POINTER,
        "click_search": _row(**_POINTER, search_box="write"),
        "click_send": _row(**_POINTER, input_box="write", session="read"),
        "click_attach": _row(**_POINTER, input_box="write"),
        "click_menu": _row(**_POINTER, menu="write"),
        "click_confirm": _row(**_POINTER, menu="write"),
        "open_context": _row(**_POINTER, menu="write"),
        # A context menu's items: the menu closes.
        **dict.fromkeys(
            ("click_revoke", "click_forward", "click_share", "click_delete"),
            _row(**_POINTER, menu="write"),
        ),
        **dict.fromkeys(("click_accept", "click_add", "click_like"), _POINTER),
        # Clicks that open a box to type in.
        **dict.fromkeys(
            ("click_remark", "click_publish", "click_comment"),
            _row(**_POINTER, input_box="write"),
        ),
        # Clicks that change what the main pane shows.
        **dict.fromkeys(
            ("open_session", "open_contact", "open_requests", "open_moments", "open_link"),
            _row(**_POINTER, session="write"),
        ),
        # Processes, and the windows that come with them.
        "kill": _row(processes="write"),
        "start": _row(processes="write"),
        "find": _row(processes="read"),
        "wait_exit": _row(processes="read"),
        "wait_window": _row(windows="read"),
    }
)
"""Command → the parts of the desktop that it reads and writes, beside the display itself.

Where a step both reads and writes a part, the write is listed.
"""


def accesses_of(command: str) -> Mapping[str, Mode]:
    """Return the accesses of a command; one that is not in the table is a click."""
    return COMMAND_ACCESSES.get(command, _POINTER)
