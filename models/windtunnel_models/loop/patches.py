"""A patch: another's module changed for as long as somebody needs it. Imports nothing else."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Patch:
    """A change that blocks share: put at the first entry, undone at the last exit."""

    __slots__ = ("_lock", "_put", "_undo", "_users")

    def __init__(self, put: Callable[[], None], undo: Callable[[], None]) -> None:
        self._put = put
        self._undo = undo
        self._lock = threading.Lock()
        self._users = 0

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Have the change in place in the block; blocks may overlap, in any thread."""
        with self._lock:
            if not self._users:
                self._put()
            self._users += 1
        try:
            yield
        finally:
            with self._lock:
                self._users -= 1
                if not self._users:
                    self._undo()
