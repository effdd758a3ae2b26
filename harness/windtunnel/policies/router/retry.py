"""The retry of a task that failed (RT-D4). Imports nothing of the project."""

from __future__ import annotations

from typing import Final

RETRY_LIMIT: Final = 3


def after_failure(count: int, limit: int = RETRY_LIMIT) -> int | None:
    """Return a task's new count of retries, with which it goes to the head of pending, or None.

    `count` is how often it was retried before; it travels with the task (F-R16). None: `limit`
    retries were made and it has failed for good. Raises ValueError for a count below 0.
    """
    if count < 0:
        raise ValueError(f"a task was retried 0 times or more, not {count}")
    return count + 1 if count < limit else None
