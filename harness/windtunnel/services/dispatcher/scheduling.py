"""The scheduling: passes that give pending tasks to free instances (RT-D1, RT-D2).

A pass that is asked for during another runs after it, and each task is claimed in one step (F-R5);
as listed (`claim` False) they overlap. Imports the cache queue, the instances and the choice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from windtunnel.policies.router.choice import Candidate, FreeInstances, InstanceChoice
from windtunnel.ports.store import StoreError
from windtunnel.services.clock import now_ns
from windtunnel.services.dispatcher.alarms import Alarm
from windtunnel.services.dispatcher.entry import Assignment, Entry
from windtunnel.services.dispatcher.run import Run
from windtunnel.services.dispatcher.shared import Shared
from windtunnel.services.dispatcher.troubles import LOOK_AGAIN
from windtunnel.services.wire.task import PREFERRED

SETTLED_S: Final = 5.0
"""Nobody waits longer for a pass to be over."""


class Scheduling:
    """Passes over what is pending. `send` hands an assignment to its bridge, or says False."""

    def __init__(
        self,
        shared: Shared,
        choice: InstanceChoice,
        send: Callable[[Assignment], Awaitable[bool]],
    ) -> None:
        self._queue = shared.queue
        self._instances = shared.instances
        self._choice = choice
        self._send = send
        self._alarms = shared.alarms
        self._troubles = shared.troubles
        self._note = shared.note
        self._claim = shared.options.claim
        self._asked = asyncio.Event()
        self._settled = asyncio.Event()
        self._settled.set()
        self._last_bridge: str | None = None
        self._held: dict[str, int] = {}
        self._overlapping: set[asyncio.Task[None]] = set()
        self._alarms.add(Alarm.SCHEDULING, self._due)

    @property
    def busy(self) -> bool:
        """Whether a pass is asked for or runs."""
        return not self._settled.is_set()

    async def settled(self) -> None:
        """Wait until no pass is asked for or runs, for `SETTLED_S` seconds at most."""
        try:
            async with asyncio.timeout(SETTLED_S):
                while self.busy:
                    await self._settled.wait()
        except TimeoutError:
            pass

    def ask(self) -> None:
        """Ask for a pass."""
        self._settled.clear()
        if self._claim:
            self._asked.set()
        else:
            task = asyncio.get_running_loop().create_task(self._overlap())
            self._overlapping.add(task)

    def hold(self, task: str, until: int) -> None:
        """Leave a pending task aside until an instant (ns): it has just failed."""
        self._held[task] = until
        self._alarms.set(Alarm.SCHEDULING, until)

    async def run(self) -> None:
        """Take passes as they are asked for; raises what they raise but for `StoreError`.

        A pass that raised stays asked for.
        """
        try:
            while True:
                await self._asked.wait()
                self._asked.clear()
                try:
                    await self._pass()
                except BaseException:
                    self._asked.set()
                    raise
                finally:
                    self._end_pass()
        finally:
            for task in tuple(self._overlapping):
                task.cancel()

    def _end_pass(self) -> None:
        if not self._asked.is_set() and not self._overlapping:
            self._settled.set()

    async def _overlap(self) -> None:
        """Take a pass beside others, as listed (F-R5)."""
        try:
            await self._pass()
        except Exception as error:  # noqa: BLE001 - nobody else would look at it
            self._troubles.met(error)
            self._alarms.set(Alarm.SCHEDULING, now_ns() + LOOK_AGAIN)
        finally:
            task = asyncio.current_task()
            assert task is not None
            self._overlapping.discard(task)
            self._end_pass()

    async def _due(self) -> int | None:
        now = now_ns()
        self._held = {task: until for task, until in self._held.items() if until > now}
        self.ask()
        return min(self._held.values(), default=None)

    async def _pass(self) -> None:
        """Give out tasks while there are some and instances for them."""
        stale = True
        while stale and not self._troubles.store_down:
            free = self._choice.among(self._instances.free_ones())
            stale = False
            for entry in self._first(len(free)):
                if not free:
                    break
                stale = not await self._give(entry, free) or stale

    def _first(self, count: int) -> list[Entry]:
        """Return the first tasks that are pending and not left aside."""
        found: list[Entry] = []
        if not count:
            return found
        held, now = self._held, now_ns()
        for entry in self._queue.tables.pending.values():
            if not held or held.get(entry.id, 0) <= now:
                found.append(entry)
                if len(found) == count:
                    break
        return found

    async def _give(self, entry: Entry, free: FreeInstances) -> bool:
        """Give a task to one of the free, which then is one no longer.

        False where what the pass goes by is no longer so, and it is to look again.
        """
        chosen = free.take(entry.payload.get(PREFERRED), self._last_bridge)
        if self._claim and not self._instances.is_free(chosen.id):
            return False
        now = now_ns()
        run = Run(entry.id, entry.attempt + 1)
        self._instances.assign(chosen.id, run, now)
        assignment = await self._claimed(entry, chosen, run, now)
        if assignment is None:
            self._instances.free(chosen.id, run)
            return self._troubles.store_down
        self._last_bridge = chosen.bridge
        self._held.pop(entry.id, None)
        details = {"instance": chosen.id, "bridge": chosen.bridge, "retries": entry.retries}
        self._note("task.assigned", entry.id, details)
        if not await self._send(assignment):
            self._instances.free(chosen.id, run)
        if not self._instances.holds(chosen.id, run):
            self._alarms.set(Alarm.INSTANCES, now)  # it is gone: the task has no instance
        return True

    async def _claimed(
        self, entry: Entry, chosen: Candidate, run: Run, now: int
    ) -> Assignment | None:
        try:
            return await self._queue.claim(entry, chosen.id, chosen.bridge, now)
        except StoreError as error:
            self._troubles.met(error)
            return None
        except BaseException:
            self._instances.free(chosen.id, run)
            raise
