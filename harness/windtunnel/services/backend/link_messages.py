"""The link's messages, as they come in: what fits, and what a report says (RT-W4 to W6).

Imports the wire's types and the link state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Literal, TypeGuard

from windtunnel.services.backend.link_state import Capacity, Report
from windtunnel.services.wire.messages import (
    CAPACITY_UPDATE,
    CONNECT_ACK,
    HEARTBEAT_ACK,
    INSTANCE_OFFLINE,
    INSTANCE_ONLINE,
)

TOLD_BY_REPORTS: Final = frozenset(
    {INSTANCE_ONLINE, INSTANCE_OFFLINE, "INSTANCE_BUSY", "INSTANCE_IDLE"}
)
"""Messages of RT-W5 that need nothing done: a report follows each (RT-W4)."""
KNOWN: Final = TOLD_BY_REPORTS | {CONNECT_ACK, HEARTBEAT_ACK, CAPACITY_UPDATE}

Unfit = Literal["unknown", "broken"]


def unfit(message: object) -> Unfit | None:
    """Tell why a message is none of the dispatcher's, or None when it may be one."""
    if not isinstance(message, Mapping) or not isinstance(message.get("type"), str):
        return "broken"
    if message["type"] not in KNOWN:
        return "unknown"
    return None if isinstance(message.get("data"), Mapping) else "broken"


def read_report(data: Mapping[str, Any], at: int) -> Report | None:
    """Return the report that came at `at` (ns), or None when it is broken.

    The counts of its summary are not negative, and no more are busy or available than online. Its
    bridges are only kept to be shown: they are not looked at here, for reports are many.
    """
    summary, sequence = data.get("summary"), data.get("sequence")
    bridges = data.get("bridges", ())
    if not (
        isinstance(summary, Mapping) and _count(sequence) and isinstance(bridges, list | tuple)
    ):
        return None
    online = summary.get("onlineInstances")
    busy = summary.get("busyInstances")
    available = summary.get("availableCapacity")
    if not (_count(online) and _count(busy) and _count(available)):
        return None
    if max(busy, available) > online:
        return None
    return Report(Capacity(online, busy, available, at), sequence, bridges)


def _count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
