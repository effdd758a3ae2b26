"""The losses: what becomes of tasks when instances go (RT-D5, RT-C1).

Their runs go back to the head of what is pending, and what the lost capacity means is offered to
the backend. Imports the cache queue, the instances, the scheduling and the policies.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final

from windtunnel.policies.router.error_classes import ErrorKind
from windtunnel.policies.router.shrink import to_offer
from windtunnel.ports.store import Drop, StoreError
from windtunnel.services.clock import now_ns
from windtunnel.services.dispatcher.alarms import Alarm
from windtunnel.services.dispatcher.entry import Assignment, Entry
from windtunnel.services.dispatcher.instances import Instance
from windtunnel.services.dispatcher.letter import Letter, letter_about
from windtunnel.services.dispatcher.scheduling import Scheduling
from windtunnel.services.dispatcher.shared import Shared
from windtunnel.services.dispatcher.troubles import LOOK_AGAIN
from windtunnel.services.dispatcher.webhooks import Webhooks
from windtunnel.services.wire.task import OFFERED

OFFERS: Final = 2
"""How often a task is offered while no instance is there: the first time its owner may not know
yet that the dispatcher has it."""


class Losses:
    """Brings the queue in line with the instances that are left."""

    def __init__(
        self,
        shared: Shared,
        scheduling: Scheduling,
        webhooks: Webhooks,
    ) -> None:
        self._queue = shared.queue
        self._instances = shared.instances
        self._scheduling = scheduling
        self._webhooks = webhooks
        self._alarms = shared.alarms
        self._troubles = shared.troubles
        self._note = shared.note
        self._watch_pending = shared.watch_pending
        self._options = shared.options
        self._present_before = 0
        self._is_loss = False
        self._lock = asyncio.Lock()
        # id → how often it was offered and not taken while no instance was there
        self._refused: Counter[str] = Counter()
        self._alarms.add(Alarm.INSTANCES, self._due)
        self._alarms.add(Alarm.ALONE, self._nobody_came)
        webhooks.answered(OFFERED, self._answered)

    def watch(self) -> None:
        """See to it that instances which fall silent are found out at their instant."""
        self._alarms.set(Alarm.INSTANCES, self._instances.next_overdue())

    def watch_one(self, instance: Instance) -> None:
        """Do the same for one that was just heard: the alarm of the others stands already."""
        self._alarms.set(Alarm.INSTANCES, self._instances.overdue_at(instance))

    async def went(self, id_: str, why: str) -> None:
        """Take in that an instance is no more."""
        before = self._instances.present
        if self._instances.went(id_, why):
            await self._lost(1, before)

    async def _due(self) -> int | None:
        before = self._instances.present
        gone = self._instances.overdue(now_ns())
        if gone:
            await self._lost(gone, before)
        else:
            await self.settle()
        return self._instances.next_overdue()

    async def _nobody_came(self) -> int | None:
        """Offer what has come to be pending since the last instance went, or before the first."""
        if self._troubles.store_down:
            return now_ns() + LOOK_AGAIN
        if not self._instances.present:
            self._is_loss = True
            await self.settle()
        return None

    async def _lost(self, gone: int, before: int) -> None:
        for _ in range(gone):
            self._troubles.note(ErrorKind.INSTANCE_OFFLINE)
        # Losses add up while a backlog from before them is there: each may mean more of it.
        if self._is_loss or self._lock.locked() or self._queue.tables.pending:
            before = max(before, self._present_before)
        self._present_before = before
        self._is_loss = True
        await self.settle()

    async def settle(self) -> None:
        """Requeue what no instance has, and offer what the loss means; later if the store is down.

        May be called at any time: what is in line is left alone.
        """
        async with self._lock:
            if self._troubles.store_down:
                return
            is_loss, self._is_loss = self._is_loss, False
            try:
                requeued = await self._requeue_homeless()
                if is_loss:
                    await self._offer(requeued)
            except StoreError as error:
                self._troubles.met(error)
                self._is_loss = is_loss or self._is_loss
        self._scheduling.ask()

    async def _requeue_homeless(self) -> int:
        """Return how many went back."""
        homeless = [a for a in self._queue.tables.processing.values() if self._is_homeless(a)]
        # The last one first, so that the first of them is the head.
        requeued = 0
        for assignment in reversed(homeless):
            if self._is_homeless(assignment):
                requeued += await self._requeue(assignment)
        return requeued

    def _is_homeless(self, assignment: Assignment) -> bool:
        return not self._instances.holds(assignment.instance, assignment.run)

    async def _requeue(self, assignment: Assignment) -> bool:
        entry = await self._queue.requeue(assignment, assignment.entry.retries)
        if entry is None:
            return False
        self._watch_pending(entry)
        self._note("task.released", entry.id, {"instance": assignment.instance, "why": "lost"})
        self._note("task.requeued", entry.id, {"retries": entry.retries, "why": "lost"})
        return True

    async def _offer(self, lost_tasks: int) -> None:
        """Offer from the tail of what is pending, the oldest of it first (F-R8)."""
        pending, left = self._queue.tables.pending, self._instances.present
        count = to_offer(len(pending), self._present_before, left, lost_tasks, self._options)
        if left:
            self._refused.clear()
        offers: list[tuple[Entry, Letter]] = []
        for entry in islice(reversed(pending.values()), count):
            letter = letter_about(entry, OFFERED)
            if letter is not None and self._refused[entry.id] < OFFERS:
                offers.append((entry, letter))
        offered = await self._queue.offer(offers[::-1])
        self._present_before -= len(offered)
        for entry, letter in offered:
            self._note("task.offered", entry.id, {})
            self._webhooks.post(letter)

    async def _answered(
        self, letter: Letter, answer: Mapping[str, Any], drops: Sequence[Drop]
    ) -> None:
        """Let an offered task go, or take it back; a task that has ended meanwhile is neither."""
        if answer.get("taken") is True:
            await self._queue.give_away(letter.task, drops)
            return
        entry = await self._queue.take_back(letter.task, drops)
        if entry is not None:
            if not self._instances.present:
                self._refused[entry.id] += 1
            self._watch_pending(entry)
            self._scheduling.ask()
