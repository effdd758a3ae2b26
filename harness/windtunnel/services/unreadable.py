"""The unreadable: entries of a store that nobody can read, told apart from the others (RT-X2).

One of them may keep no program from starting. Imports nothing of the project.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from typing import Final, NamedTuple, TypeVar

logger = logging.getLogger("windtunnel.store")

T = TypeVar("T")

ERRORS: Final = (ValueError, KeyError, TypeError, AttributeError, RecursionError)
"""What comes of reading a text that another has damaged, or another version has written."""


class Unreadable(NamedTuple):
    """An entry that cannot be read."""

    key: str
    """Its table."""
    id: str
    text: str


def sorted_out(
    key: str,
    rows: Iterable[tuple[str, str]],
    read: Callable[[str, str], T],
    broken: list[Unreadable],
) -> list[tuple[str, T]]:
    """Return (id, what `read` makes of id and text) of the rows of a table.

    Those of which it makes one of `ERRORS` are logged and appended to `broken`.
    """
    good: list[tuple[str, T]] = []
    for id_, text in rows:
        try:
            good.append((id_, read(id_, text)))
        except ERRORS as error:
            logger.error("%s of `%s` cannot be read: %r", id_, key, error)  # noqa: TRY400 - no traceback: the reason says it
            broken.append(Unreadable(key, id_, text))
    return good
