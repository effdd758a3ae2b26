"""The alarms: what is to be done at an instant, in one task for all of them.

Imports the clock and the units.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from enum import StrEnum

from windtunnel.services.clock import now_ns
from windtunnel.units import to_seconds


class Alarm(StrEnum):
    """What there is an alarm for."""

    STORE = "store"
    """To look whether the store is back."""
    INSTANCES = "instances"
    """To look for instances that are silent, and for tasks that no instance has."""
    ALONE = "alone"
    """To offer what is pending where no instance has come."""
    SCHEDULING = "scheduling"
    """To give out tasks that were left aside for a while."""
    EXPIRY = "expiry"
    """To end tasks that have been pending for too long."""
    WEBHOOKS = "webhooks"
    """To try again what was not answered."""


Turn = Callable[[], Awaitable[int | None]]
"""What is done when an alarm goes off; returns the instant (ns) of the next, or None."""


class Alarms:
    """Alarms by name, each with one instant at most: the earliest it was set to."""

    def __init__(self) -> None:
        self._turns: dict[Alarm, Turn] = {}
        self._due: dict[Alarm, int] = {}
        self._sooner = asyncio.Event()

    def add(self, alarm: Alarm, turn: Turn) -> None:
        """Say what an alarm does."""
        self._turns[alarm] = turn

    def set(self, alarm: Alarm, due: int | None) -> None:
        """Let an alarm go off at an instant (ns), unless it does so earlier anyway."""
        if due is None or due >= self._due.get(alarm, due + 1):
            return
        self._due[alarm] = due
        self._sooner.set()

    async def run(self) -> None:
        """Let alarms go off, one after the other, for ever; raises what a turn raises.

        The alarm of a turn that raised stands again for the next call of `run`.
        """
        while True:
            self._sooner.clear()
            now = now_ns()
            for alarm in [alarm for alarm, due in self._due.items() if due <= now]:
                await self._go_off(alarm)
            await self._wait()

    async def _go_off(self, alarm: Alarm) -> None:
        due = self._due.pop(alarm)
        try:
            again = await self._turns[alarm]()
        except BaseException:
            self.set(alarm, due)
            raise
        self.set(alarm, again)

    async def _wait(self) -> None:
        due = min(self._due.values(), default=None)
        try:
            async with asyncio.timeout_at(None if due is None else to_seconds(due)):
                await self._sooner.wait()
        except TimeoutError:
            pass
