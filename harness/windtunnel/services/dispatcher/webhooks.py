"""The webhooks: letters to the owners of tasks, each sent until it is answered (RT-D3, F-R3).

At least once: what the outbox holds outlives a crash. Of one task never two at a time, and the
newest only. Imports alarms, letter, unreadable, what is shared and the ports.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from windtunnel.ports.network import Network, NetworkError, Request
from windtunnel.ports.store import Drop, Has, Store, StoreError
from windtunnel.services.clock import now_ns
from windtunnel.services.dispatcher.alarms import Alarm
from windtunnel.services.dispatcher.letter import WEBHOOKS, Letter, read_letter
from windtunnel.services.dispatcher.shared import Shared
from windtunnel.services.dispatcher.unreadable import set_aside
from windtunnel.services.unreadable import Unreadable, sorted_out
from windtunnel.units import SECOND

LONGEST: Final = 60
"""Seconds: the delay before another attempt is 1, 2, 4 … and no longer than this."""
OK: Final = 200
ALL: Final = 2**31

Answered = Callable[[Letter, Mapping[str, Any], Sequence[Drop]], Awaitable[None]]
"""Called with a letter whose answer means something, the answer, and the changes that take it out
of the outbox, to be committed with what the answer means; may raise `StoreError`."""


@dataclass(slots=True)
class Delivery:
    """What is known of the newest letter about one task."""

    letter: Letter
    attempts: int = 0
    answer: Mapping[str, Any] | None = None
    """The answer, until what it means is stored."""
    underway: bool = False


class Webhooks:
    """The outbox at work: a bounded number of calls at once, each bounded in time."""

    def __init__(self, shared: Shared, network: Network, store: Store) -> None:
        self._network = network
        self._store = store
        self._at_once = shared.settings.webhooks_at_once
        self._timeout_s = shared.settings.webhook_timeout_s
        self._queue = shared.queue
        self._alarms = shared.alarms
        self._troubles = shared.troubles
        self._note = shared.note
        self._answered: dict[str, Answered] = {}
        self._all: dict[str, Delivery] = {}
        self._ready: deque[str] = deque()
        self._later: dict[str, int] = {}
        self._some = asyncio.Semaphore(0)
        self._alarms.add(Alarm.WEBHOOKS, self._due)

    def __len__(self) -> int:
        """How many tasks have a letter that is not yet answered."""
        return len(self._all)

    def answered(self, status: str, means: Answered) -> None:
        """Say what is done about the answers to the letters of that status."""
        self._answered[status] = means

    async def load(self) -> None:
        """Take up what the outbox holds and is not known of; raises `StoreError`."""
        broken: list[Unreadable] = []
        # Nothing moves meanwhile: another letter than the one that is known is a newer one.
        async with self._queue.at_rest():
            rows = await self._store.first(WEBHOOKS, ALL)
            for task, letter in sorted_out(WEBHOOKS, rows, read_letter, broken):
                known = self._all.get(task)
                if known is None or known.letter.text != letter.text:
                    self.post(letter)
        if broken:
            await self._store.commit([change for one in broken for change in set_aside(one)])

    def post(self, letter: Letter) -> None:
        """Send a letter that is in the outbox, in the place of an earlier one about its task."""
        earlier = self._all.get(letter.task)
        delivery = self._all[letter.task] = Delivery(letter)
        if earlier is None:
            self._make_ready(letter.task)
        elif earlier.underway:
            delivery.underway = True  # whoever is at the earlier one goes on with this one
        elif self._later.pop(letter.task, None) is not None:
            self._make_ready(letter.task)

    async def run(self) -> None:
        """Send what there is, for ever."""
        async with asyncio.TaskGroup() as group:
            for _ in range(self._at_once):
                group.create_task(self._troubles.supervise(self._work))

    async def _work(self) -> None:
        while True:
            await self._some.acquire()
            task = self._ready.popleft()
            if task not in self._all or self._all[task].underway:
                continue
            try:
                await self._deliver(task)
            except BaseException:
                self._put_off(task)
                raise

    async def _deliver(self, task: str) -> None:
        """Send the newest letter about a task; one that came meanwhile too."""
        while (delivery := self._all.get(task)) is not None:
            delivery.underway = True
            if delivery.answer is None:
                delivery.answer = await self._call(delivery)
            if self._all.get(task) is not delivery:
                continue
            if delivery.answer is None or not await self._settle(delivery):
                self._put_off(task)
                return

    async def _call(self, delivery: Delivery) -> Mapping[str, Any] | None:
        """Call the webhook; return its answer, or None where it was not answered well."""
        delivery.attempts += 1
        letter = delivery.letter
        answer: Mapping[str, Any] | None = None
        try:
            async with asyncio.timeout(self._timeout_s):
                response = await self._network.request(Request("POST", letter.url, letter.body))
            if response.status == OK:
                answer = response.body if isinstance(response.body, Mapping) else {}
        except (NetworkError, TimeoutError) as error:
            self._troubles.met(error)
        details = {"attempt": delivery.attempts, "ok": answer is not None}
        self._note("webhook.tried", letter.task, details)
        return answer

    async def _settle(self, delivery: Delivery) -> bool:
        """Store what an answer means; tell whether that could be done."""
        letter, answer = delivery.letter, delivery.answer
        assert answer is not None
        drops = [Drop(WEBHOOKS, letter.task)]
        try:
            if (means := self._answered.get(letter.body["status"])) is not None:
                await means(letter, answer, drops)
            else:
                await self._store.commit(drops, (Has(WEBHOOKS, letter.task, letter.text),))
        except StoreError as error:
            self._troubles.met(error)
            return False
        if self._all.get(letter.task) is delivery:
            del self._all[letter.task]
        return True

    def _make_ready(self, task: str) -> None:
        self._ready.append(task)
        self._some.release()

    def _put_off(self, task: str) -> None:
        """Try again later: after 1, 2, 4 … seconds."""
        delivery = self._all.get(task)
        if delivery is None:
            return
        delivery.underway = False
        seconds = min(LONGEST, 1 << min(max(0, delivery.attempts - 1), 6))
        self._later[task] = due = now_ns() + seconds * SECOND
        self._alarms.set(Alarm.WEBHOOKS, due)

    async def _due(self) -> int | None:
        now = now_ns()
        for task in [task for task, due in self._later.items() if due <= now]:
            del self._later[task]
            self._make_ready(task)
        return min(self._later.values(), default=None)
