"""The unreadable: entries of the store that nobody can read, set aside (RT-X2).

One of them may not keep the backend from starting. Imports the store port and the entry.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple, TypeVar, get_args

from windtunnel.ports.store import Put
from windtunnel.services.backend.entry import OVER, Entry, Place, from_text, new_entry
from windtunnel.services.wire.task import Task

logger = logging.getLogger("windtunnel.backend")

T = TypeVar("T")

PLACES: Final[tuple[Place, ...]] = get_args(Place)
OPEN: Final[tuple[Place, ...]] = tuple(place for place in PLACES if place not in OVER)
"""The places of the tasks that are not over."""
BROKEN: Final = "broken"
"""Table: `TABLE/ID` → the text that cannot be read, for people."""
UNREADABLE: Final = "UNREADABLE"
"""What the owner of a task is told that was stored and cannot be read: it is not done, nor lost."""
ERRORS: Final = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
"""What comes of reading a text that another has damaged, or another version has written."""


class Unreadable(NamedTuple):
    """A row of the store."""

    key: str
    """The table: one of the places, or another."""
    id: str
    text: str

    def put(self) -> Put:
        """Return the change that keeps it for people."""
        return Put(BROKEN, f"{self.key}/{self.id}", self.text)

    def entry(self) -> Entry | None:
        """Return what is left of a task, that it is there; None where the row is none of a task."""
        place = next((each for each in OPEN if each == self.key), None)
        if place is None:
            return None
        entry = new_entry(0, Task(self.id, {}))
        entry.place = entry.stored = place
        return entry


def sort_out(
    key: str,
    rows: Iterable[tuple[str, str]],
    read: Callable[[str, str], T],
    broken: list[Unreadable],
) -> list[T]:
    """Return what `read` makes of id and text of each row of a table.

    Those that it cannot read are logged and appended to `broken`.
    """
    good: list[T] = []
    for id_, text in rows:
        try:
            good.append(read(id_, text))
        except ERRORS as error:
            logger.error("%s of `%s` cannot be read: %r", id_, key, error)  # noqa: TRY400 - no traceback: the reason says it
            broken.append(Unreadable(key, id_, text))
    return good


def read_entry(place: Place, id_: str, text: str) -> Entry:
    """Return the entry that a text says; raises one of `ERRORS`, also for what is of wrong type."""
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
