"""The saved state: what the backend's store holds of link, capacity, instances, health (RT-R1).

Imports the store port and the link state.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from json.encoder import encode_basestring_ascii as quoted
from typing import Any, Final

from windtunnel.ports.store import Put, Store
from windtunnel.services.backend.link_state import CAPACITY_LIFE, LinkState
from windtunnel.units import to_seconds

STATE: Final = "state"
"""Table: entries `connection`, `capacity`, `last_heartbeat`, `health`."""
INSTANCES: Final = "state:instances"
"""Table: an entry for each instance of the last report; its ids are the index."""
_encode: Final = json.JSONEncoder(separators=(",", ":")).encode


async def save(store: Store, state: LinkState, health: Mapping[str, Any] | None, at: int) -> None:
    """Store it all by one commit, as it is at `at` (ns); raises `StoreError`.

    Link and health stay; capacity, instances and heartbeat go when they are 60 s old. A `health` of
    None leaves what is stored of it.
    """
    puts = [_put(STATE, "connection", state.connection())]
    if health is not None:
        puts.append(_put(STATE, "health", health))
    puts.extend(_capacity(state, at))
    heard = state.last_heartbeat
    if heard is not None and (left := heard + CAPACITY_LIFE - at) > 0:
        puts.append(_put(STATE, "last_heartbeat", heard, left))
    await store.commit(puts)


async def health_of(store: Store) -> Mapping[str, Any] | None:
    """Return the health that was stored last, or None; raises `StoreError`."""
    text = await store.get(STATE, "health")
    return None if text is None else json.loads(text)


def _capacity(state: LinkState, at: int) -> Iterator[Put]:
    capacity = state.capacity(at)
    if capacity.known_at is None:
        return
    known_at, left = capacity.known_at, capacity.known_at + CAPACITY_LIFE - at
    yield _put(
        STATE,
        "capacity",
        {
            "onlineInstances": capacity.online,
            "busyInstances": capacity.busy,
            "availableCapacity": capacity.available,
            "updatedAt": known_at,
        },
        left,
    )
    left_s = to_seconds(left)
    for bridge in _objects(state.bridges):
        name = _text(bridge.get("bridgeId"))
        for instance in _objects(bridge.get("instances")):
            id_ = str(instance.get("instanceId"))
            text = _instance(id_, name, instance, known_at)
            yield Put(INSTANCES, id_, text, expires_s=left_s)


def _instance(id_: str, bridge: str, instance: Mapping[str, Any], at: int) -> str:
    """Return what is stored of an instance; `bridge` is JSON already: instances are many."""
    task = instance.get("currentTask")
    if not isinstance(task, Mapping):
        task = {}
    return (
        f'{{"instanceId":{quoted(id_)},"bridgeId":{bridge}'
        f',"status":{_text(instance.get("status"))},"currentTaskId":{_text(task.get("taskId"))}'
        f',"currentTaskStartTime":{_text(task.get("startTime"))},"lastUpdated":{at}}}'
    )


def _text(value: object) -> str:
    """Return the JSON text of what another party has sent: nearly always a text, or null."""
    if value is None:
        return "null"
    return quoted(value) if isinstance(value, str) else _encode(value)


def _objects(values: object) -> Iterator[Mapping[str, Any]]:
    """Yield the JSON objects among what another party has sent as a list of them."""
    if isinstance(values, list | tuple):
        yield from (value for value in values if isinstance(value, Mapping))


def _put(key: str, id_: str, value: object, left: int | None = None) -> Put:
    return Put(key, id_, _encode(value), expires_s=None if left is None else to_seconds(left))
