"""The task: its id and its wire form, the same for both platforms but for the key (RT-A2).

Imports nothing of the project.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from zlib import crc32

RUNNINGHUB: Final = "runninghub"
"""The platform whose tasks are routed (RT-S6)."""
OWN_ID: Final = "client_task_id"
"""Field of the body that carries our own id: by it a repeated submission is known."""
KEY: Final = "apiKey"
"""Field of the body that carries the platform's key."""
WEBHOOK: Final = "webhookUrl"
PREFERRED: Final = "preferred_instance"
WORK: Final = "work_ns"
"""Field of a simulated task's body: how long an instance works on it, ns."""

SUCCESS: Final = "SUCCESS"
FAILED: Final = "FAILED"
EXPIRED: Final = "EXPIRED"
OFFERED: Final = "OFFERED"
"""What a webhook's `status` may be: `{taskId: <request id>, client_task_id, status, result?,
error?}`. OFFERED: the dispatcher would rather have it completed elsewhere (RT-D5)."""


@dataclass(frozen=True, slots=True)
class Task:
    """A task as its owner gives it."""

    id: str
    body: Mapping[str, Any] = field(default_factory=dict)
    """`workflow_id`, `node_info_list`, …: whatever the platform understands."""
    platform: str = RUNNINGHUB


def wrong_form(body: object) -> str | None:
    """Tell what is wrong with a task's body, or None (RT-K1): it is refused before it is sent."""
    if not isinstance(body, Mapping):
        return f"a task is an object, not {type(body).__name__}"
    if not isinstance(body.get("workflow_id"), str) or not body["workflow_id"]:
        return "`workflow_id` must be a text that is not empty"
    nodes = body.get("node_info_list", [])
    if not isinstance(nodes, list) or not all(isinstance(node, Mapping) for node in nodes):
        return "`node_info_list` must be a list of objects"
    return None


def result_of(body: Mapping[str, Any]) -> str:
    """Return what a simulated platform makes of a task: the right result, for RT-P4.

    It hangs on every field with its type, but for the two that differ by platform (RT-A2).
    """
    own = {name: value for name, value in body.items() if name not in (KEY, WEBHOOK)}
    print_ = crc32(json.dumps(own, sort_keys=True, separators=(",", ":")).encode())
    return f"image {print_:08x} of {body.get(OWN_ID, '?')}"
