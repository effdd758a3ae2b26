"""The unreadable: entries of the store that nobody can read, set aside (RT-X2).

One of them may not keep the others from being read. Imports the port of the store and entry.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple, TypeVar

from windtunnel.ports.store import Change, Drop, Put
from windtunnel.services.dispatcher.entry import encode

T = TypeVar("T")

logger = logging.getLogger("windtunnel.dispatcher")

BROKEN: Final = "md:broken"
"""The table of what was set aside: `TABLE/ID` → `{table, id, text}`."""


class Unreadable(NamedTuple):
    """An entry that cannot be read."""

    key: str
    id: str
    text: str

    def changes(self) -> tuple[Change, Change]:
        """Return what sets it aside."""
        text = encode({"table": self.key, "id": self.id, "text": self.text})
        return Drop(self.key, self.id), Put(BROKEN, f"{self.key}/{self.id}", text)


def sorted_out(
    key: str,
    rows: Iterable[tuple[str, str]],
    read: Callable[[str, str], T],
    broken: list[Unreadable],
) -> list[tuple[str, T]]:
    """Return (id, what `read` makes of id and text) of the rows of a table.

    Those of which it makes an error (ValueError, KeyError or TypeError) are logged and appended to
    `broken`.
    """
    good: list[tuple[str, T]] = []
    for id_, text in rows:
        try:
            good.append((id_, read(id_, text)))
        except (ValueError, KeyError, TypeError) as error:
            logger.error("%s of %s cannot be read and is set aside: %r", id_, key, error)  # noqa: TRY400 - no traceback: the reason says it
            broken.append(Unreadable(key, id_, text))
    return good
