"""The observation: the values of a system taken at one instant, by dotted names.

Imports `windtunnel.trace`.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from windtunnel.trace import Event, Trace

Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Observation:
    """What `world.observed` recorded."""

    event: Event
    values: Values


def observation(trace: Trace) -> Observation | None:
    """Return the last observation of a run, or None where none was taken."""
    last = None
    for last in trace.of("world.observed"):  # noqa: B007 - only the last one is wanted
        pass
    return None if last is None else Observation(last, last.details["values"])


def look_up(values: Values, name: str) -> Any:  # noqa: ANN401 - any JSON value
    """Return the value of a name such as `pending` or `executed_by_priority.NORMAL`.

    A key that holds the dots itself comes first. Raises `KeyError` where there is none.
    """
    if name in values:
        return values[name]
    head, _, tail = name.rpartition(".")
    while head:
        inner = values.get(head)
        if isinstance(inner, Mapping):
            return look_up(inner, tail)
        head, _, rest = head.rpartition(".")
        tail = f"{rest}.{tail}"
    raise KeyError(name)


def names(values: Values, prefix: str = "") -> Iterator[str]:
    """Yield every name that `look_up` knows, outer ones before inner ones."""
    for key, value in values.items():
        yield f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from names(value, f"{prefix}{key}.")


def unknown(values: Values, name: str) -> str:
    """Return what to tell of a name that is not there: the close ones, else all."""
    known = list(names(values))
    close = difflib.get_close_matches(name, known, n=3)
    hint = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(known)}"
    return f"{name} is not observed; {hint}"
