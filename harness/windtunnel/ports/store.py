"""The port `Store`: tables of a program's state that outlive it, with expiry and atomic moves.

A table is a key with entries in order, each an id and a text (JSON); one Redis hash or list, one
SQLite table. Imports `windtunnel.errors`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from windtunnel.errors import WindtunnelError


class StoreError(WindtunnelError):
    """The store does not answer, or refuses. Of a commit that failed so nothing has happened."""


class Put(NamedTuple):
    """Put an entry at the end of a table, or at its head; one that is there is replaced in place.

    With `head` one that is there moves.
    """

    key: str
    id: str
    value: str
    head: bool = False
    expires_s: float | None = None
    """It is gone after so many seconds; None: never."""


class Drop(NamedTuple):
    """Take an entry away; nothing happens where there is none."""

    key: str
    id: str


class Trim(NamedTuple):
    """Keep the newest entries of a table alone."""

    key: str
    newest: int


class Has(NamedTuple):
    """A condition: the table has that entry (with exactly that value, where one is given)."""

    key: str
    id: str
    value: str | None = None


class Lacks(NamedTuple):
    """A condition: the table has no such entry."""

    key: str
    id: str


Change = Put | Drop | Trim
Condition = Has | Lacks


@runtime_checkable
class Store(Protocol):
    """One program's store. Each call raises `StoreError`, and is one step at one instant."""

    async def get(self, key: str, id: str) -> str | None:  # noqa: A002 - the port's published name
        """Return an entry's value, or None."""

    async def first(self, key: str, count: int) -> Sequence[tuple[str, str]]:
        """Return the first entries of a table, at most `count`: (id, value), in order."""

    async def last(self, key: str, count: int) -> Sequence[tuple[str, str]]:
        """Return the last entries of a table, at most `count`, in the table's order."""

    async def count(self, key: str) -> int:
        """Return how many entries a table has."""

    async def commit(self, changes: Sequence[Change], given: Sequence[Condition] = ()) -> bool:
        """Make all changes in one step if all conditions hold; tell whether they did (RT-R3)."""
