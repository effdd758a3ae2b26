"""The given: what a scenario says of the desktop machine at the start, read from plain data.

Durations are nanoseconds. What is left out has the figures of the world. Imports the ports' words
and spans.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from windtunnel.ports import LoginState
from windtunnel.spans import Span, as_span


class Figures(Protocol):
    """A world's own figures, for what a scenario does not say; ns."""

    @property
    def autostart(self) -> Span | None:
        """From the end of the process to the window of the next; None: nothing brings it back."""

    @property
    def start_up(self) -> int:
        """From the start of the process to its window."""

    @property
    def missing_window(self) -> int:
        """How long a command looks for a window that is not there (UI-F2)."""


@dataclass(frozen=True, slots=True)
class Given:
    """WeChat and the times of this run."""

    state: LoginState
    running: bool
    session: str | None
    restores_login: bool
    autostart: Span | None
    start_up: int
    missing_window: int
    friend_requests: tuple[tuple[int, str], ...]
    """(instant, who), in order."""
    latencies: Mapping[str, Any]


def read_given(given: Mapping[str, Any] | None, figures: Figures) -> Given:
    """Return what `WorldSpec.given` says; keys that are not the world's are let be."""
    given = given or {}
    wechat: Mapping[str, Any] = given.get("wechat") or {}
    requests = ((each["at"], each["from"]) for each in wechat.get("friend_requests", ()))
    autostart = figures.autostart
    if wechat.get("autostart", "profile") != "profile":
        autostart = None if wechat["autostart"] is None else as_span(wechat["autostart"])
    return Given(
        state=wechat.get("state", "logged_in"),
        running=wechat.get("running", True),
        session=wechat.get("session"),
        restores_login=wechat.get("restores_login", True),
        autostart=autostart,
        start_up=_or(wechat.get("start_up"), figures.start_up),
        missing_window=_or(wechat.get("missing_window"), figures.missing_window),
        friend_requests=tuple(sorted(requests, key=lambda request: request[0])),
        latencies=given.get("latencies") or {},
    )


def _or(said: int | None, figure: int) -> int:
    return figure if said is None else said
