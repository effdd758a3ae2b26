"""The call sites: who drives the display or looks at it, and how in each wiring (UI-C1, UI-C5).

Imports the endpoint table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from windtunnel.services.bridge.dispatch.endpoints import ENDPOINTS, Today, Way, Wiring

Caller = Literal["route", "friend_watcher", "orchestrator", "watchdog"]


@dataclass(frozen=True, slots=True)
class CallSite:
    """One place from which the bridge acts on WeChat."""

    caller: Caller
    action: str
    """A key of `ENDPOINTS`; `kill` for the watchdog's."""
    before: Today
    """How it was before the change: the documents' second column."""
    ways: tuple[Way | Literal["drain"], Way | Literal["drain"], Way | Literal["drain"]]
    """How in the wirings before, phase1 and after; `drain`: first drained, never queued."""
    unlocked: frozenset[str] = frozenset()
    """Its commands that take no L1 before the change."""

    def way(self, wiring: Wiring) -> Way | Literal["drain"]:
        """Return how it reaches the display in a wiring."""
        return self.ways[WIRINGS.index(wiring)]


WIRINGS: Final[tuple[Wiring, ...]] = ("before", "phase1", "after")
UNLOCKED: Final = {
    "screenshot": frozenset({"screenshot"}),
    "qr_start": frozenset({"screenshot", "crop"}),
    "autofix": frozenset({"kill", "find", "start", "wait_window"}),
}


def _site(caller: Caller, action: str) -> CallSite:
    row = ENDPOINTS[action]
    first, second, third = (row.way(wiring) for wiring in WIRINGS)
    return CallSite(
        caller, action, row.today, (first, second, third), UNLOCKED.get(action, frozenset())
    )


CALL_SITES: Final[tuple[CallSite, ...]] = (
    *(_site("route", action) for action in ENDPOINTS),
    _site("friend_watcher", "accept_friend"),
    _site("orchestrator", "send_text"),
    _site("orchestrator", "send_file"),
    CallSite("watchdog", "kill", "direct", ("direct", "direct", "drain")),
)
"""The 22 call sites, 16 of them queued before the change."""

PROBES: Final[tuple[tuple[str, str], ...]] = (
    *(("route", action) for action, row in ENDPOINTS.items() if row.probe),
    ("orchestrator", "send_text"),
    ("orchestrator", "send_file"),
    ("route", "qr_wait"),
    ("route", "diagnostic"),
)
"""The 18 places that look at the log-in state, caller and action: sends 6, moments 6, contacts 3,
log-out, QR wait, diagnostic (UI-C3). Never queued (UI-C2)."""
