"""Who acts: the operation on whose behalf the running code calls a port.

The boundary sets it around every action; ports read it when they record a command. It travels with
the context of a task, so services need not pass it on. Imports nothing of the project.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final


@dataclass(slots=True)
class Acting:
    """An operation at work; `step` counts the commands it has begun."""

    op: str
    """The operation's id, or that of a background actor's turn: `login_guard.3`."""
    class_: str
    """The class of the operation; `probe` for a look that belongs to no flow."""
    step: int = 0
    actor: str = ""
    """Who asked for it, where that is not the operation itself: `login_guard`."""
    command: str = ""
    """What the flow calls the port call that it makes now; empty: the port's own name for it."""
    gate: Gate | None = None
    """Asked before each command of a flow, and before its lock is taken: it may hold it back."""
    submitted: int = 0
    """How many actions were submitted on its behalf; the second is `op/2`."""

    def next_step(self) -> int:
        """Return the number of the command that begins now, from 0."""
        step = self.step
        self.step += 1
        return step


Gate = Callable[[Acting], Awaitable[None]]

acting: Final[ContextVar[Acting | None]] = ContextVar("windtunnel.acting", default=None)


@contextmanager
def on_behalf(op: str, class_: str, actor: str = "") -> Iterator[Acting]:
    """Act as another operation inside the block: a probe, a background actor's turn."""
    outer = acting.get()
    who = Acting(op, class_, actor=actor, gate=outer.gate if outer is not None else None)
    token = acting.set(who)
    try:
        yield who
    finally:
        acting.reset(token)
