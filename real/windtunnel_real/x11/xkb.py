"""XKB: the one thing that the core protocol cannot: let go of locks, latches and groups.

python-xlib does not speak this extension; three of its requests are written down here, as in "The X
Keyboard Extension: Protocol Specification", appendix D (encoding). Imports python-xlib.
"""

from __future__ import annotations

from typing import Final

from windtunnel_real.errors import InputError
from windtunnel_real.x11.xlib import XDisplay, rq

NAME: Final = "XKEYBOARD"
_CORE_KEYBOARD: Final = 0x0100
_ALL: Final = 0xFF
_NEW_KEYBOARD: Final = 1 << 0
_MAP: Final = 1 << 1


class _UseExtension(rq.ReplyRequest):  # type: ignore[misc] # as the library has its own requests
    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(0),
        rq.RequestLength(),
        rq.Card16("wanted_major"),
        rq.Card16("wanted_minor"),
    )
    _reply = rq.Struct(
        rq.ReplyCode(),
        rq.Bool("supported"),
        rq.Card16("sequence_number"),
        rq.ReplyLength(),
        rq.Card16("server_major"),
        rq.Card16("server_minor"),
        rq.Pad(20),
    )


class _SelectEvents(rq.Request):  # type: ignore[misc] # as the library has its own requests
    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(1),
        rq.RequestLength(),
        rq.Card16("device"),
        rq.Card16("affected"),
        rq.Card16("none_of"),
        rq.Card16("all_of"),
        rq.Card16("affected_map"),
        rq.Card16("map"),
    )


class _LatchLockState(rq.Request):  # type: ignore[misc] # as the library has its own requests
    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(5),
        rq.RequestLength(),
        rq.Card16("device"),
        rq.Card8("affected_locks"),
        rq.Card8("locks"),
        rq.Bool("lock_group"),
        rq.Card8("locked_group"),
        rq.Card8("affected_latches"),
        rq.Card8("latches"),
        rq.Pad(1),
        rq.Bool("latch_group"),
        rq.Card16("latched_group"),
    )


class Xkb:
    """The extension on one display."""

    def __init__(self, xdisplay: XDisplay) -> None:
        """Say hello to it; raises `InputError` when the server has it not."""
        found = xdisplay.query_extension(NAME)
        if found is None or not found.present:
            raise InputError("this X server has no XKEYBOARD extension: Caps Lock cannot be let go")
        self._opcode = int(found.major_opcode)
        _UseExtension(display=xdisplay.display, opcode=self._opcode, wanted_major=1, wanted_minor=0)
        # Who has said hello is not told of changed maps any more, unless by the extension's events.
        xdisplay.count_mappings(found.first_event)
        _SelectEvents(
            display=xdisplay.display,
            opcode=self._opcode,
            device=_CORE_KEYBOARD,
            affected=_NEW_KEYBOARD | _MAP,
            none_of=0,
            all_of=_NEW_KEYBOARD,
            affected_map=_ALL,
            map=_ALL,
        )

    def let_go(self, xdisplay: XDisplay) -> None:
        """Release every lock and latch (Caps, Num, sticky keys) and go to the first group."""
        _LatchLockState(
            display=xdisplay.display,
            opcode=self._opcode,
            device=_CORE_KEYBOARD,
            affected_locks=_ALL,
            locks=0,
            lock_group=1,
            locked_group=0,
            affected_latches=_ALL,
            latches=0,
            latch_group=1,
            latched_group=0,
        )
