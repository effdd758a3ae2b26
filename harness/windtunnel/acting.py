"""Who acts: the operation on whose behalf the running code calls a port.

The boundary sets it around every action; ports read it when they record a command. It travels with
the context of a task, so services need not pass it on. Imports nothing of the project.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final


@dataclass(slots=True)
class Acting:
    """An operation at work; `step` counts the commands it has begun."""

    op: str
    class_: str
    step: int = 0

    def next_step(self) -> int:
        """Return the number of the command that begins now, from 0."""
        step = self.step
        self.step += 1
        return step


acting: Final[ContextVar[Acting | None]] = ContextVar("windtunnel.acting", default=None)
