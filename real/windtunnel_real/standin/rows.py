"""The rows: whose sessions and contacts the left column shows.

Anybody has a row; the column shows few, so that one may have to be scrolled to. Imports the state
machine's words and the layout.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from windtunnel.wechat.database import Database
from windtunnel.wechat.screen import Screen
from windtunnel.wechat.surface import Surface
from windtunnel_real.standin.layout import CONTACT_COUNT, CONTACT_ROWS, ROW_COUNT, ROWS, place_of


class Rows:
    """The left column of a surface. Scrolling changes nothing of the surface."""

    def __init__(self, surface: Surface) -> None:
        self._surface = surface
        self._scrolled = {"session": "", "contact": ""}

    @property
    def sessions(self) -> tuple[str, ...]:
        """Whose sessions are shown, from the top: the top one always, then the most recent."""
        recent = reversed(self._surface.screen.sessions)
        return _with(self._scrolled["session"], recent, ROW_COUNT)

    @property
    def contacts(self) -> tuple[str, ...]:
        """Whose contacts are shown, from the top."""
        return _with(self._scrolled["contact"], _known(self._surface.database), CONTACT_COUNT)

    def reveal(self, target: str) -> tuple[int, int]:
        """Scroll until a row is shown, and return its point; `session:bob`, `contact:bob`.

        While a search is on there is one row, the top one. For a target that has a place of its
        own that is returned. Raises `KeyError` for any other.
        """
        kind, _, whose = target.partition(":")
        if not whose or kind not in self._scrolled:
            return place_of(target)
        if kind == "session" and is_searching(self._surface.screen):
            return place_of("session")
        shown = self.sessions if kind == "session" else self.contacts
        if whose not in shown:
            self._scrolled[kind] = whose
            shown = self.sessions if kind == "session" else self.contacts
        boxes = ROWS if kind == "session" else CONTACT_ROWS
        return boxes[shown.index(whose)].center


def is_searching(screen: Screen) -> bool:
    """Tell whether the left column shows what a search found, not the sessions."""
    return screen.focus == "search" or bool(screen.search)


def _known(database: Database) -> Iterable[str]:
    return dict.fromkeys((*reversed(database.remarks), *reversed(database.friends)))


def _with(scrolled_to: str, names: Iterable[str], count: int) -> tuple[str, ...]:
    first = tuple(islice(names, count))
    if not scrolled_to or scrolled_to in first:
        return first
    return (*first[: count - 1], scrolled_to)
