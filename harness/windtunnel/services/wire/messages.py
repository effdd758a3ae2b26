"""The messages of the channels: `{"type": …, "data": …}`, by the names of their types.

Imports the form of a message.
"""

from __future__ import annotations

from typing import Any, Final

from windtunnel.ports.network import Message

# Backend and dispatcher (RT-W1 to W5).
CONNECT: Final = "CONNECT"
"""Backend → dispatcher: `{clientId, timestamp, token}`."""
CONNECT_ACK: Final = "CONNECT_ACK"
"""`{serverId, timestamp}`."""
HEARTBEAT: Final = "HEARTBEAT"
HEARTBEAT_ACK: Final = "HEARTBEAT_ACK"
CAPACITY_UPDATE: Final = "CAPACITY_UPDATE"
"""Dispatcher → backend: `{bridges: […], summary: {totalBridges, totalInstances, onlineInstances,
busyInstances, availableCapacity}, sequence}` (RT-W4). `sequence` grows with each report, so that a
late one is known, and the answer to a submission says in which report it will count (F-R11)."""

# Dispatcher and bridges.
JOIN: Final = "JOIN"
"""Bridge → dispatcher, first of all: `{bridgeId, instances: [{instanceId, taskId, attempt}]}`."""
ALIVE: Final = "ALIVE"
"""Bridge → dispatcher, each heartbeat: as JOIN, of the instances that the bridge reaches."""
INSTANCE_ONLINE: Final = "INSTANCE_ONLINE"
"""Bridge → dispatcher: `{bridgeId, instanceId, timestamp}`."""
INSTANCE_OFFLINE: Final = "INSTANCE_OFFLINE"
"""Bridge → dispatcher: the same with `reason`: `crashed`, `switched off` or `disconnected`."""
RUN: Final = "RUN"
"""Dispatcher → bridge: `{taskId, instanceId, attempt, payload}`."""
DONE: Final = "DONE"
"""Bridge → dispatcher, again until acknowledged: `{taskId, instanceId, attempt, result}`."""
FAILED: Final = "FAILED"
"""The same, with `error` in the place of `result`."""
RESULT_ACK: Final = "RESULT_ACK"
"""Dispatcher → bridge: `{taskId, instanceId, attempt}`."""


def message(type_: str, **data: Any) -> Message:  # noqa: ANN401 - JSON values
    """Return a message of that type."""
    return {"type": type_, "data": data}
