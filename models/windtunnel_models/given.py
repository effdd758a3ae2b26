"""The given: what a scenario says of the simulated world at the start, read from plain data.

Durations are nanoseconds. What is left out has the profile's figure or the documents'. Imports the
profile and the ports' words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from windtunnel.ports import LoginState
from windtunnel.spans import Span
from windtunnel_models.profile import Profile, as_range


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


def read_given(given: Mapping[str, Any] | None, profile: Profile) -> Given:
    """Return what `WorldSpec.given` says; keys that are not the world's are let be."""
    given = given or {}
    wechat: Mapping[str, Any] = given.get("wechat") or {}
    requests = ((each["at"], each["from"]) for each in wechat.get("friend_requests", ()))
    autostart = profile.autostart
    if wechat.get("autostart", "profile") != "profile":
        autostart = None if wechat["autostart"] is None else as_range(wechat["autostart"])
    return Given(
        state=wechat.get("state", "logged_in"),
        running=wechat.get("running", True),
        session=wechat.get("session"),
        restores_login=wechat.get("restores_login", True),
        autostart=autostart,
        start_up=_or(wechat.get("start_up"), profile.start_up),
        missing_window=_or(wechat.get("missing_window"), profile.missing_window),
        friend_requests=tuple(sorted(requests, key=lambda request: request[0])),
        latencies=given.get("latencies") or {},
    )


def _or(said: int | None, figure: int) -> int:
    return figure if said is None else said
