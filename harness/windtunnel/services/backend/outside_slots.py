"""The outside slots: which of our tasks the external platform has, counted in the capacity book.

A slot is taken until the platform says that its task is over, whatever became of the task here.
Imports the capacity book.
"""

from __future__ import annotations

from collections.abc import Iterator

from windtunnel.policies.router.reservation import CapacityBook


class OutsideSlots:
    """One slot for each task; the book counts them."""

    def __init__(self, book: CapacityBook) -> None:
        self._book = book
        # task → by which the platform knows it; empty while that is not known
        self._requests: dict[str, str] = {}

    def __len__(self) -> int:
        return len(self._requests)

    def begin(self, id_: str, request: str = "") -> None:
        """Take a slot for a task; it has one already where an earlier result ended the task."""
        if id_ not in self._requests:
            self._book.begin_outside()
        self._requests[id_] = request

    def known(self, id_: str, request: str) -> None:
        """Take it that the platform knows the task by this, if it has a slot still."""
        if id_ in self._requests:
            self._requests[id_] = request

    def is_of(self, id_: str, request: str) -> bool:
        """Tell whether a platform's name for a task is that of its slot, or may be."""
        return self._requests.get(id_) in ("", request)

    def end(self, id_: str) -> bool:
        """Give a task's slot back; tell whether it had one."""
        if self._requests.pop(id_, None) is None:
            return False
        self._book.end_outside()
        return True

    def items(self) -> Iterator[tuple[str, str]]:
        """Give task and request of each slot, as they are now."""
        return iter(tuple(self._requests.items()))
