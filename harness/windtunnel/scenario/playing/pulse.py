"""The pulse: a sign of life that each run of a cell gives as it begins and ends.

A worker passes it on to its parent, which kills workers that are silent. Imports nothing else.
"""

from __future__ import annotations

from collections.abc import Callable

Beat = Callable[[], None]

_listeners: list[Beat] = []


def listen(beat: Beat) -> None:
    """Call `beat` at every sign of life in this process, from now on."""
    _listeners.append(beat)


def beat() -> None:
    """Give a sign of life; nothing happens where nobody listens."""
    for listener in _listeners:
        listener()
