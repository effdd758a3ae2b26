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
        "verify": _LOOK,
        "screenshot": _LOOK,
        "crop": _row(),
        "key_down": _KEYS,
        "key_enter": _KEYS,
        "type_query": _row(focus="read", keys="write", search_box="write"),
        "type_text": _row(focus="read", keys="write", input_box="write"),
        "type_path": _row(focus="read", keys="write", input_box="write"),
        "open_session": _row(pointer="write", focus="write", session="write"),
        "focus_input": _row(pointer="write", focus="write"),
        "click_send": _row(pointer="write", focus="write", input_box="write", session="read"),
        "click_menu": _row(pointer="write", focus="write", menu="write"),
        "click_confirm": _row(pointer="write", focus="write", menu="write"),
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
