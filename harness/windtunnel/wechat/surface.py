"""The surface: what clicks and keys work on, and what they bring about as the trace tells it.

Imports who acts, the ports' words and the trace's.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from windtunnel.acting import Acting
from windtunnel.ports import LoginState
from windtunnel.trace import NO_DETAILS
from windtunnel.wechat.database import Database
from windtunnel.wechat.screen import Screen


class Recorder(Protocol):
    """What is told the events that the surface brings about: a run's trace, a program's log."""

    def record(
        self,
        kind: str,
        op: str = "",
        actor: str = "",
        class_: str = "",
        resource: str = "",
        outcome: str = "",
        details: Mapping[str, Any] = NO_DETAILS,
    ) -> None:
        """Take an event, as `windtunnel.trace.Trace.record` does."""


@dataclass(frozen=True, slots=True)
class Surface:
    """What clicks and keys work on: the screen, the database behind it, and the record of a run."""

    screen: Screen
    database: Database
    trace: Recorder

    def missed(self, target: str, hit: str, who: Acting) -> None:
        """Record that a click meant for `target` hit something else, or nothing."""
        self._record("click.missed", target, who, {"hit": hit})

    def misplaced(self, text: str, place: str, who: Acting) -> None:
        """Record that a text went to what is no box."""
        self._record("text.misplaced", place, who, {"text": text})

    def deliver(self, to: str, text: str, who: Acting) -> None:
        """Send a message: to whom it really goes, with what it really says (UI-F4)."""
        self.database.add_message(to, text)
        self.screen.lift_session(to)
        self._record("message.delivered", to, who, {"text": text})

    def accept(self, contact: str, who: Acting) -> None:
        """Accept a request to be friends, if it is still open."""
        if self.database.accept(contact):
            self._record("friend.accepted", contact, who, {})

    def log_in_or_out(self, state: LoginState) -> None:
        """Change the account's state, and the page that the window shows, if one is there.

        The account's sessions and drafts wait for the next log-in.
        """
        if self.screen.login not in ("unknown", state):
            self.screen.start_afresh(state, keep_sessions=True)
        self.note_login(state)

    def note_login(self, state: LoginState) -> None:
        """Write the account's state down, and record it if it is another."""
        if self.database.account != state:
            self.database.account = state
            self.trace.record("wechat.login", resource="wechat", details={"state": state})

    def _record(self, kind: str, resource: str, who: Acting, details: dict[str, str]) -> None:
        self.trace.record(kind, who.op, who.actor, who.class_, resource, "", details)
