"""The run of a task: one attempt at it on an instance, and what came of it.

Imports nothing of the project.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

BUSY: Final = "busy"
"""The error by which a bridge says that an instance could not begin: it has another task."""


class Run(NamedTuple):
    """Which task, and which of its attempts, from 1."""

    task: str
    attempt: int


class Result(NamedTuple):
    """What a bridge says has come of a run."""

    run: Run
    instance: str
    bridge: str
    ok: bool
    result: Any = None
    """Where it is ok."""
    error: str = ""
    """Where it is not."""
