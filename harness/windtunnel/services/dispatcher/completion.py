"""The completion: what becomes of a task when a run of it is over (RT-D3, RT-D4).

The first result of a task wins, whichever run it is of; a failure counts only if it is of the run
that is going on. Imports the cache queue, the instances, the scheduling and the policies.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from windtunnel.policies.router.retry import after_failure
from windtunnel.ports.store import StoreError
from windtunnel.services.clock import now_ns
from windtunnel.services.dispatcher.cache_queue import End, Place
from windtunnel.services.dispatcher.entry import Assignment, Entry
from windtunnel.services.dispatcher.letter import Letter, letter_about
from windtunnel.services.dispatcher.local_journal import LocalJournal
from windtunnel.services.dispatcher.run import BUSY, Result
from windtunnel.services.dispatcher.scheduling import Scheduling
from windtunnel.services.dispatcher.shared import Shared
from windtunnel.services.dispatcher.webhooks import Webhooks
from windtunnel.services.wire.task import FAILED, SUCCESS
from windtunnel.units import from_seconds


class Completion:
    """Takes results in; `acknowledge` tells a bridge that one is safe."""

    def __init__(
        self,
        shared: Shared,
        scheduling: Scheduling,
        webhooks: Webhooks,
        journal: LocalJournal,
        acknowledge: Callable[[Result], Awaitable[None]],
    ) -> None:
        self._queue = shared.queue
        self._instances = shared.instances
        self._scheduling = scheduling
        self._webhooks = webhooks
        self._journal = journal
        self._acknowledge = acknowledge
        self._troubles = shared.troubles
        self._note = shared.note
        self._watch_pending = shared.watch_pending
        self._options = shared.options
        self._retry_max = shared.settings.retry_max
        self._backoff = from_seconds(shared.settings.retry_backoff_s)

    async def came(self, result: Result) -> None:
        """Take a result in; while the store is down it is kept (RT-X2)."""
        if not self._troubles.store_down:
            try:
                await self._apply(result)
            except StoreError as error:
                self._troubles.met(error)
            else:
                return
        self._journal.keep(result)

    async def catch_up(self) -> None:
        """Take in what was kept; raises `StoreError`, and keeps the rest."""
        await self._journal.merge(self._apply)

    async def _apply(self, result: Result) -> None:
        """Do what a result means; raises `StoreError`, and then nothing was done."""
        entry = self._queue.entry_of(result.run.task)
        if entry is None:
            self._ignore(result, "repeated")
        elif result.ok:
            await self._succeed(entry, result)
        else:
            await self._fail(result)
        self._instances.free(result.instance, result.run)
        self._scheduling.ask()
        await self._acknowledge(result)

    async def end(
        self, entry: Entry, end: End, only: Place | None = None
    ) -> Assignment | Entry | None:
        """End a task and tell its owner; return what it was then, None if it was over before.

        `only`: the place in which it must be. Raises `StoreError`.
        """
        letter = self._letter(entry, end)
        was = await self._queue.complete(entry.id, end, letter, only)
        if was is not None and letter is not None:
            self._webhooks.post(letter)
        return was

    def _letter(self, entry: Entry, end: End) -> Letter | None:
        if self._options.webhook == "never":
            return None
        return letter_about(entry, end.status, **end.what())

    async def _succeed(self, entry: Entry, result: Result) -> None:
        was = await self.end(entry, End(SUCCESS, result=result.result))
        if was is None:
            self._ignore(result, "repeated")
        elif isinstance(was, Assignment):
            if was.instance == result.instance:
                self._release(was, "done")
                self._instances.free(was.instance, was.run)
            else:
                self._release(was, "superseded")
                self._instances.give_up(was.instance, was.run)

    async def _fail(self, result: Result) -> None:
        holder = self._queue.tables.processing.get(result.run.task)
        if holder is None or holder.instance != result.instance or holder.run != result.run:
            self._ignore(result, "late")
        elif result.error == BUSY:
            await self._requeue(holder, holder.entry.retries, "lost")
            self._instances.refused(result.instance, result.run)
        else:
            await self._try_again(holder, result.error)

    async def _try_again(self, holder: Assignment, error: str) -> None:
        count = holder.entry.retries if self._options.retry_count == "travels" else 0
        retries = after_failure(count, self._retry_max)
        if retries is None:
            if await self.end(holder.entry, End(FAILED, error=error)) is not None:
                self._release(holder, "failed")
            return
        if await self._requeue(holder, retries, "failed") and self._backoff:
            wait = self._backoff << (retries - 1)
            self._scheduling.hold(holder.entry.id, now_ns() + wait)

    async def _requeue(self, holder: Assignment, retries: int, why: str) -> bool:
        entry = await self._queue.requeue(holder, retries)
        if entry is not None:
            self._watch_pending(entry)
            self._release(holder, why)
            self._note("task.requeued", entry.id, {"retries": retries, "why": why})
        return entry is not None

    def _release(self, holder: Assignment, why: str) -> None:
        self._note("task.released", holder.entry.id, {"instance": holder.instance, "why": why})

    def _ignore(self, result: Result, why: str) -> None:
        self._note("result.ignored", result.run.task, {"party": "dispatcher", "why": why})
