"""Suggestions: the close name that somebody who mistyped one may have meant.

Imports nothing of the project.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Final

_MOST_COMPARED: Final = 200
"""Names up to which a word is compared with each: a file may hold thousands of mistakes."""


def closest(word: str, known: Iterable[str]) -> str | None:
    """Return the known word nearest to a word; None when none is near, or too many are known."""
    names = list(known)
    if len(names) > _MOST_COMPARED:
        return None
    lowered = {name.lower(): name for name in names}
    near = difflib.get_close_matches(word.lower()[:80], lowered, n=1, cutoff=0.6)
    return lowered[near[0]] if near else None


def did_you_mean(word: str, known: Iterable[str], *, most: int = 12) -> str:
    """Return `; did you mean …?`, or the list of what is known, or `""` when that is too long."""
    names = sorted(set(known))
    if near := closest(word, names):
        return f"; did you mean `{near}`?"
    return f" (known: {', '.join(names)})" if 0 < len(names) <= most else ""
