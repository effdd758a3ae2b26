"""The answer: what the owner of a task is told of its end. Imports nothing of the project."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Status = Literal["done", "failed", "expired"]


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of a task; told once, and again only after a crash."""

    id: str
    """The task's."""
    status: Status
    result: Any = None
    """What the platform made of it, a JSON value; None where nothing was."""
    error: str | None = None
    """Why it failed or expired: `WRONG_FORM`, `EXPIRED`, or the platform's own text."""
