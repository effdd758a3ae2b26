"""The canonical form of a trace: one line of JSON per event, and the digest over the lines.

Two runs are equal exactly when their digests are. Imports `windtunnel.trace` only.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from typing import Any

from windtunnel.errors import TraceError
from windtunnel.kinds import KINDS
from windtunnel.trace import NO_DETAILS, Event, Outcome

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False).encode


def check_event(event: Event) -> None:
    """Raise `TraceError` unless the event obeys its row of `KINDS`.

    For tests and for traces read from a file; not called on the fast path.
    """
    kind = KINDS.get(event.kind)
    if kind is None:
        raise TraceError(f"event {event.seq}: {event.kind!r} is not a kind of trace event")
    missing = [name for name in kind.fields if not getattr(event, name)]
    known = {name.rstrip("?") for name in kind.details}
    needed = {name for name in kind.details if not name.endswith("?")}
    missing += sorted(needed - event.details.keys())
    if missing:
        raise TraceError(f"event {event.seq} ({event.kind}) lacks {', '.join(missing)}")
    if unknown := sorted(event.details.keys() - known):
        raise TraceError(f"event {event.seq} ({event.kind}) has unknown {', '.join(unknown)}")
    if event.outcome and event.outcome not in Outcome.ALL:
        raise TraceError(f"event {event.seq} ({event.kind}) has no outcome {event.outcome!r}")


def to_json(event: Event) -> str:
    """Return an event's canonical line: sorted keys, no blanks, ASCII, empty fields left out."""
    fields: dict[str, Any] = {"t": event.time, "seq": event.seq, "kind": event.kind}
    fields |= {
        name.rstrip("_"): value
        for name in ("op", "actor", "class_", "resource", "outcome")
        if (value := getattr(event, name))
    }
    if event.details:
        fields["details"] = dict(event.details)
    return _encode(fields)


def from_json(line: str) -> Event:
    """Return the event of a line that `to_json` wrote.

    Raises `TraceError` when the line is not such an event.
    """
    try:
        fields = json.loads(line)
        names = ("op", "actor", "class", "resource", "outcome")
        op, actor, class_, resource, outcome = (str(fields.get(name, "")) for name in names)
        event = Event(
            int(fields["t"]),
            int(fields["seq"]),
            str(fields["kind"]),
            op,
            actor,
            class_,
            resource,
            outcome,
            dict(fields.get("details", NO_DETAILS)),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise TraceError(f"not a trace event: {line[:80]!r}") from error
    check_event(event)
    return event


def digest(events: Iterable[Event]) -> str:
    """Return the SHA-256 over the canonical lines of events, as 64 hex digits."""
    state = hashlib.sha256()
    for event in events:
        state.update(to_json(event).encode())
        state.update(b"\n")
    return state.hexdigest()


def lines(events: Iterable[Event]) -> Iterator[str]:
    """Yield one canonical line per event, each with its line feed."""
    for event in events:
        yield to_json(event) + "\n"
