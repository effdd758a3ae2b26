"""The kill announcer: running flows learn that WeChat was killed (UI-W6).

Imports errors and notes.
"""

from __future__ import annotations

import logging

from windtunnel.errors import BridgeError, Code
from windtunnel.services.note import Note, ignore

logger = logging.getLogger("windtunnel.kills")


class KillAnnouncer:
    """Counts the kills announced; a flow compares the count between two commands."""

    __slots__ = ("_note", "kills")

    def __init__(self, note: Note = ignore) -> None:
        self._note = note
        self.kills = 0

    def announce(self) -> None:
        """Tell every running flow that WeChat was killed."""
        self.kills += 1
        logger.warning("wechat_killed: running flows end before their next command")
        self._note("kill.announced", "", {})


def killed() -> BridgeError:
    """Return what a flow fails with that learns of a kill."""
    return BridgeError(Code.WINDOW_NOT_FOUND, "WeChat was killed while the flow ran")
