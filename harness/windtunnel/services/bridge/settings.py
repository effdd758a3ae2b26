"""The bridge's settings. Imports the wirings and priorities of the endpoint table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Literal

from windtunnel.services.bridge.dispatch.endpoints import Wiring

Probe = Literal["locked", "lookup", "cached"]
Service = Literal["login_guard", "friend_watcher", "watchdog", "streamer"]

DRAIN_S: Final = 5.0
"""How long the watchdog drains before it kills (UI-W2)."""
WATCHDOG_WINDOW_S: Final = 15.0
"""The dead window that it opens (UI-W3)."""

SERVICES: Final[tuple[Service, ...]] = ("login_guard", "friend_watcher", "watchdog", "streamer")
"""The background loops, in the order in which they start."""


@dataclass(frozen=True, slots=True)
class BridgeSettings:
    """How a bridge is wired and with which figures; times in seconds unless their name says ms."""

    wiring: Wiring = "after"
    friend_watcher: Literal["queued", "direct"] = "queued"
    """`direct`: acceptances run beside the queue, the historical fault (UI-C7)."""
    probe: Probe = "locked"
    """How a route finds the log-in state before it submits (UI-C3)."""
    locked: bool = True
    """False takes the UI lock L1 away."""
    services: frozenset[Service] = frozenset()
    """The background loops that run."""
    drain_s: float = DRAIN_S
    watchdog_window_s: float = WATCHDOG_WINDOW_S
    restart_window_s: float | None = None
    """The dead window of a restart; None: the endpoint table's."""
    autofix_window_s: float | None = None
    friend_watcher_s: float = 3.0
    """The period of each loop."""
    login_guard_s: float = 5.0
    watchdog_s: float = 10.0
    streamer_s: float = 1.0
    guard_warns_s: float = 2.0
    """A wait for L1 over which the guard warns (UI-C4)."""
    capture_timeout_s: float = 5.0
    """Of the capture program (UI-AC4); wiring `after` only."""
    flow_bound_s: float = 30.0
    """Of every flow but restart and autofix."""
    delay_after_ms: Mapping[str, float] = field(default_factory=dict)
    """Action → the delay after it, in place of the table's."""
    process: str = "wechat"
    """The name of WeChat's process, and of its window's class."""
