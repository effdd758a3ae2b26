"""WeChat as a scenario finds it: what `given.wechat` says, all of it read by the world.

Imports `windtunnel.fields`, spans and the base of a vocabulary.
"""

from __future__ import annotations

from typing import Literal

from pydantic import Field, model_serializer

from windtunnel.fields import Duration
from windtunnel.spans import CommandTime, Drawn
from windtunnel.systems.base import Vocabulary


class FriendRequest(Vocabulary):
    """A request to be friends that comes in."""

    at: Duration
    sender: str = Field(alias="from", min_length=1)

    @model_serializer
    def _as_written(self) -> dict[str, object]:
        return {"at": self.at, "from": self.sender}


class WechatGiven(Vocabulary):
    """The application at the start, and how it comes back (UI-F2)."""

    state: Literal["logged_in", "logged_out", "qr"] = "logged_in"
    running: bool = True
    autostart: Drawn | Literal["profile"] | None = "profile"
    """How long after a kill its window is back; `profile`: as the profile of latencies says, by
    the documents 5 to 10 s; null: nothing brings it back."""
    start_up: Duration | None = None
    """From the start of its process to its window; None: as the profile says."""
    missing_window: CommandTime | None = None
    """How long a command looks for a window that is not there; None: as the profile says."""
    session: str | None = None
    """Whose session is open at the start."""
    restores_login: bool = True
    """Whether a new process is logged in where the one before it was."""
    friend_requests: tuple[FriendRequest, ...] = ()
