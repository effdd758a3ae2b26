"""The bridge's endpoints: priority, delay and wait of each, as data in one place (UI-E1, UI-E2).

Imports priorities.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from windtunnel.policies.ui.priority import Priority

Today = Literal["queued", "direct"]
Wiring = Literal["before", "phase1", "after"]
Way = Literal["enqueue", "execute", "direct"]
"""How an action reaches the display: `execute` with its priority, `enqueue`, or at once."""

CRITICAL, HIGH, NORMAL, LOW = Priority


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A route that drives the display, and how its action is submitted."""

    action: str
    """The class of the action; scenarios and traces use this name."""
    route: str
    today: Today
    """Whether the bridge queues it today, or runs it directly (wiring `before`)."""
    priority: Priority
    delay_ms: float
    """The delay after it."""
    wait_ms: float
    """The time-out of the caller's wait."""
    trace_id: str = ""
    spaced: bool = False
    """Whether a send to the same contact as the one before has the shorter delay (UI-Q4)."""
    window_ms: float = 0
    """The dead window that it opens as it starts (UI-C1, the call sites)."""
    probe: bool = True
    """Whether its route looks at the log-in state before it submits (UI-C3)."""

    def way(self, wiring: Wiring) -> Way:
        """Return how its action is submitted in a wiring (UI-C1, UI-C6)."""
        if wiring == "after":
            return "execute"
        return "enqueue" if self.today == "queued" else "direct"

    @property
    def sends(self) -> bool:
        """Whether it sends to a contact, whom the next send is compared with (UI-Q4)."""
        return self.route.startswith("POST /api/send/")


_ROWS: Final = (
    Endpoint("send_text", "POST /api/send/text", "queued", NORMAL, 3000, 15000, spaced=True),
    Endpoint("send_file", "POST /api/send/file", "queued", NORMAL, 3000, 15000),
    Endpoint("revoke", "POST /api/messages/revoke", "queued", NORMAL, 3000, 15000),
    Endpoint("forward", "POST /api/messages/forward", "queued", NORMAL, 3000, 15000),
    Endpoint("set_remark", "POST /api/friends/remark", "queued", NORMAL, 3000, 15000),
    Endpoint("add_friend", "POST /api/friends/add", "queued", NORMAL, 3000, 15000),
    Endpoint("accept_friend", "POST /api/friends/accept", "queued", HIGH, 3000, 30000),
    Endpoint("publish", "POST /api/moments/publish", "queued", NORMAL, 3000, 30000),
    Endpoint("share", "POST /api/moments/share", "queued", NORMAL, 3000, 30000),
    Endpoint("delete", "POST /api/moments/delete", "queued", NORMAL, 3000, 15000),
    Endpoint("forward_moment", "POST /api/moments/forward", "queued", NORMAL, 3000, 30000),
    Endpoint("like", "POST /api/moments/like", "queued", LOW, 3000, 15000),
    Endpoint("comment", "POST /api/moments/comment", "queued", LOW, 3000, 15000),
    Endpoint(
        "screenshot", "POST /api/screenshot", "direct", LOW, 3000, 10000, "screenshot", probe=False
    ),
    Endpoint(
        "qr_start", "POST /api/login/qr/start", "direct", HIGH, 3000, 15000, "qr_start", probe=False
    ),
    Endpoint("logout", "POST /api/login/logout", "direct", HIGH, 3000, 30000, "logout"),
    Endpoint(
        "restart",
        "POST /api/wechat/restart",
        "direct",
        CRITICAL,
        0,
        60000,
        "wechat_restart",
        window_ms=8000,
        probe=False,
    ),
    Endpoint(
        "autofix",
        "POST /api/diagnostic/autofix/wechat_running",
        "direct",
        CRITICAL,
        0,
        30000,
        "autofix_wechat_running",
        window_ms=15000,
        probe=False,
    ),
)

ENDPOINTS: Final[Mapping[str, Endpoint]] = MappingProxyType({row.action: row for row in _ROWS})
"""Class of action → its endpoint."""
