"""What the backend makes of entries that nobody can read: they are kept, and their tasks end.

Imports the store port, the entry and the unreadable.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, get_args

from windtunnel.ports.store import Put
from windtunnel.services.backend.entry import OVER, Entry, Place, from_text, new_entry
from windtunnel.services.unreadable import Unreadable
from windtunnel.services.wire.task import Task

PLACES: Final[tuple[Place, ...]] = get_args(Place)
OPEN: Final[tuple[Place, ...]] = tuple(place for place in PLACES if place not in OVER)
"""The places of the tasks that are not over."""
BROKEN: Final = "broken"
"""Table: `TABLE/ID` → the text that cannot be read, for people."""
UNREADABLE: Final = "UNREADABLE"
"""What the owner of a task is told that was stored and cannot be read: it is not done, nor lost."""


def kept(one: Unreadable) -> Put:
    """Return the change that keeps a row for people."""
    return Put(BROKEN, f"{one.key}/{one.id}", one.text)


def left_of(one: Unreadable) -> Entry | None:
    """Return what is left of a task, that it is there; None where the row is none of a task."""
    place = next((each for each in OPEN if each == one.key), None)
    if place is None:
        return None
    entry = new_entry(0, Task(one.id, {}))
    entry.place = entry.stored = place
    return entry


def read_entry(place: Place, id_: str, text: str) -> Entry:
    """Return the entry that a text says.

    Raises one of the unreadable's `ERRORS`, also where a field is of the wrong type.
    """
    entry = from_text(id_, place, text)
    fields: tuple[tuple[object, type], ...] = (
        (entry.task.body, Mapping),
        (entry.task.platform, str),
        (entry.request, str),
        (entry.number, int),
        (entry.rounds, int),
    )
    if not all(isinstance(value, type_) for value, type_ in fields):
        raise ValueError("a field has the wrong type")
    return entry
