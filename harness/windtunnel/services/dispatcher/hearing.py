"""The hearing: what the dispatcher does about what a bridge has said.

Imports completion, losses, scheduling and what is shared.
"""

from __future__ import annotations

from windtunnel.ports.store import StoreError
from windtunnel.services.clock import now_ns
from windtunnel.services.dispatcher.alarms import Alarm
from windtunnel.services.dispatcher.completion import Completion
from windtunnel.services.dispatcher.instances import Instance
from windtunnel.services.dispatcher.losses import Losses
from windtunnel.services.dispatcher.run import Result, Run
from windtunnel.services.dispatcher.scheduling import Scheduling
from windtunnel.services.dispatcher.shared import Shared


class Hearing:
    """Brings instances and queue up to date; a store that is down is met here."""

    def __init__(
        self, shared: Shared, scheduling: Scheduling, losses: Losses, completion: Completion
    ) -> None:
        self._alarms = shared.alarms
        self._queue = shared.queue
        self._instances = shared.instances
        self._troubles = shared.troubles
        self._note = shared.note
        self._scheduling = scheduling
        self._losses = losses
        self._completion = completion

    async def instance_heard(self, bridge: str, id_: str, said: Run | None) -> None:
        """Take in that a bridge reaches an instance, and which run it says it has (RT-D5)."""
        now = now_ns()
        instance = self._instances.heard(bridge, id_, said, now)
        if self._instances.lacks(instance, said, now):
            await self._losses.settle()
        if instance.run is None:
            self._scheduling.ask()
        elif not instance.ours:
            await self._adopt(instance, instance.run)
        self._losses.watch_one(instance)

    async def _adopt(self, instance: Instance, run: Run) -> None:
        """Count a run that was given up, and goes on all the same, as the task's again.

        Only its last one, and only while the task is pending: nothing is worked on twice (RT-C3).
        """
        entry = self._queue.tables.pending.get(run.task)
        if entry is None or entry.attempt != run.attempt or self._troubles.store_down:
            return
        at = instance.candidate
        self._instances.assign(at.id, run, now_ns())
        try:
            adopted = await self._queue.adopt(entry, at.id, at.bridge, now_ns())
        except StoreError as error:
            self._troubles.met(error)
            adopted = None
        if adopted is None:
            self._instances.give_up(at.id, run)
            return
        details = {"instance": at.id, "bridge": at.bridge, "retries": entry.retries}
        self._note("task.assigned", entry.id, details)
        if not self._instances.holds(at.id, run):
            self._alarms.set(Alarm.INSTANCES, now_ns())  # it is gone: the task has no instance

    async def instance_went(self, bridge: str, id_: str, why: str) -> None:
        """Take in that an instance of that bridge is no more."""
        if self._instances.is_of(id_, bridge):
            await self._losses.went(id_, why)

    async def result_came(self, result: Result) -> None:
        """Take in that a run is over."""
        await self._completion.came(result)
