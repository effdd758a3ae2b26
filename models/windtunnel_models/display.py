"""The minimal simulated display: one command at a time under the UI lock L1 (UI-L1).

A command is a name and a latency. The desktop with its windows and its WeChat is built on top.
"""

from __future__ import annotations

import asyncio
from contextlib import AbstractAsyncContextManager, nullcontext
from typing import Any, Final

from windtunnel.acting import Acting, acting
from windtunnel.trace import Outcome, Trace
from windtunnel_models.access import AccessLog, accesses_of

RESOURCE: Final = "display"


class SimDisplay:
    """A display of the simulated world; `locked=False` takes the UI lock away."""

    def __init__(self, trace: Trace, accesses: AccessLog, *, locked: bool = True) -> None:
        self._trace = trace
        self._accesses = accesses
        self._lock: AbstractAsyncContextManager[Any] = asyncio.Lock() if locked else nullcontext()

    async def perform(self, command: str, seconds: float) -> None:
        """Take L1, hold the display for `seconds`, release L1.

        Cancelled while waiting it leaves no event; cancelled while holding, the command ends as
        aborted and L1 is released.
        """
        who = acting.get() or Acting("", "")
        async with self._lock:
            self._report(command)
            details = {"command": command, "step": who.next_step()}
            record = self._trace.record
            record("command.started", who.op, "", who.class_, RESOURCE, "", details)
            outcome = Outcome.ABORTED
            try:
                await asyncio.sleep(seconds)
                outcome = Outcome.DONE
            finally:
                record("command.ended", who.op, "", who.class_, RESOURCE, outcome, details)

    def _report(self, command: str) -> None:
        if self._accesses.listener is not None:
            self._accesses.report(RESOURCE, "write")
            for part, mode in accesses_of(command).items():
                self._accesses.report(f"{RESOURCE}.{part}", mode)
