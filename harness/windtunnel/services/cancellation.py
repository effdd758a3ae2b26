"""Cancellation: whose it is: the running task's own, or that of something it waits for.

Imports nothing of the project.
"""

from __future__ import annotations

import asyncio


def is_own() -> bool:
    """Tell whether the running task itself has been asked to end.

    A `CancelledError` that it meets otherwise is another's failure: an action that was cancelled
    by somebody else, a future that was given up.
    """
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
