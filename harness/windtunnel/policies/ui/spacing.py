"""Spacing: how long the worker waits after an action before it takes the next (UI-Q4)."""

from __future__ import annotations

from typing import Final

from windtunnel.policies.ui.priority import Priority

SAME_CONTACT_MS: Final = 1000


def delay_after_ms(priority: Priority, own_ms: float | None, default_ms: float) -> float:
    """Return the delay after an action, ms: the caller's own, else 0 for CRITICAL, else default."""
    if own_ms is not None:
        return own_ms
    return 0 if priority is Priority.CRITICAL else default_ms


def contact_delay_ms(previous: str | None, contact: str | None) -> float | None:
    """Return the delay a send asks for, ms: 1000 to the contact of the send before, else None."""
    return SAME_CONTACT_MS if contact is not None and contact == previous else None
