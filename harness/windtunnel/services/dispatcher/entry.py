"""The entry of the cache queue: a task that was accepted, and the texts the store holds of it.

The payload is written as JSON once, when it comes in; moving the entry writes the rest around it.
Imports the run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from json.encoder import encode_basestring_ascii as quoted
from typing import Any, Final, NamedTuple, TypeVar

from windtunnel.services.dispatcher.run import Run

T = TypeVar("T")

encode: Final = json.JSONEncoder(separators=(",", ":")).encode


class Entry(NamedTuple):
    """A task as it waits; a named tuple, which is made faster than a frozen dataclass."""

    id: str
    payload: Mapping[str, Any]
    """The task's body as it came, without the key."""
    text: str
    """The payload as JSON."""
    submitted_at: int
    """Nanoseconds."""
    retries: int = 0
    """How often it has failed and was tried again (RT-D4)."""
    attempt: int = 0
    """How often it was given to an instance: tells its runs apart."""

    def value(self) -> str:
        """Return what stands in the table of pending or offered tasks (RT-R2)."""
        return (
            f'{{"taskId":{quoted(self.id)},"payload":{self.text},"submittedAt":{self.submitted_at}'
            f',"retryCount":{self.retries},"attempt":{self.attempt}}}'
        )


class Assignment(NamedTuple):
    """A task that an instance works on; `entry.attempt` counts this run."""

    entry: Entry
    instance: str
    bridge: str
    started_at: int
    """Nanoseconds."""

    @property
    def run(self) -> Run:
        """Which run of the task this is."""
        return Run(self.entry.id, self.entry.attempt)

    def value(self) -> str:
        """Return what stands in the table of processing tasks (RT-R2)."""
        entry = self.entry
        return (
            f'{{"instanceId":{quoted(self.instance)},"bridgeId":{quoted(self.bridge)}'
            f',"startTime":{self.started_at},"payload":{entry.text},"retryCount":{entry.retries}'
            f',"attempt":{entry.attempt},"submittedAt":{entry.submitted_at}}}'
        )


def new_entry(id_: str, body: Mapping[str, Any], now: int) -> Entry:
    """Return the entry of a body that was submitted now (ns); its key goes no further."""
    payload = {name: value for name, value in body.items() if name != "apiKey"}
    return Entry(id_, payload, encode(payload), now)


def read_entry(id_: str, value: str) -> Entry:
    """Return the entry that a text of any of the three tables holds.

    Raises ValueError, KeyError or TypeError for a text that `value` did not write.
    """
    return _entry(id_, json.loads(value))


def read_assignment(id_: str, value: str) -> Assignment:
    """Return the assignment that a text holds; raises as `read_entry`."""
    fields = json.loads(value)
    return Assignment(
        _entry(id_, fields),
        typed(fields, "instanceId", str),
        typed(fields, "bridgeId", str),
        typed(fields, "startTime", int),
    )


def read_end(id_: str, value: str) -> str:  # noqa: ARG001 - the shape of a reading
    """Return the text of a completed task as it is; raises as `read_entry` where it is none."""
    typed(json.loads(value), "status", str)
    return value


def typed(fields: Mapping[str, Any], name: str, type_: type[T]) -> T:
    """Return a field of an object; raises KeyError or TypeError where it has none of that type."""
    value = fields[name]
    if not isinstance(value, type_) or isinstance(value, bool):
        raise TypeError(f"`{name}` must be {type_.__name__}, not {value!r}")
    return value


def _entry(id_: str, fields: Mapping[str, Any]) -> Entry:
    payload = typed(fields, "payload", dict)
    return Entry(
        id_,
        payload,
        encode(payload),
        typed(fields, "submittedAt", int),
        typed(fields, "retryCount", int),
        typed(fields, "attempt", int),
    )
