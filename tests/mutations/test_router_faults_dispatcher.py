"""Faults planted in the router's dispatcher on purpose: the named scenarios' checks turn red."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from planting_kit import Faults, Played
from windtunnel.ports.store import Change, Condition, Drop, Lacks, Put
from windtunnel.services.dispatcher import cache_queue
from windtunnel.services.dispatcher.bridges import Bridges
from windtunnel.services.dispatcher.cache_queue import (
    COMPLETED,
    KNOWN,
    PENDING,
    PROCESSING,
    CacheQueue,
    Tables,
)
from windtunnel.services.dispatcher.completion import Completion
from windtunnel.services.dispatcher.entry import Assignment, Entry
from windtunnel.services.dispatcher.hearing import Hearing
from windtunnel.services.dispatcher.instances import Instances
from windtunnel.services.dispatcher.letter import WEBHOOKS
from windtunnel.services.dispatcher.local_journal import LocalJournal
from windtunnel.services.dispatcher.losses import Losses
from windtunnel.services.dispatcher.reports import Reports
from windtunnel.services.dispatcher.run import Result, Run
from windtunnel.services.dispatcher.scheduling import Scheduling
from windtunnel.services.dispatcher.webhooks import Webhooks

fault = Faults()


def _commits_without(patch: pytest.MonkeyPatch, method: str, *left_out: tuple[type, str]) -> None:
    """Leave changes and conditions out of the commits that one method of the queue makes."""
    run, commit = getattr(CacheQueue, method), CacheQueue._commit

    def keeps(one: Change | Condition) -> bool:
        return not any(isinstance(one, kind) and one.key == key for kind, key in left_out)

    async def some(self: CacheQueue, changes: Sequence[Change], given: Sequence[Condition]) -> bool:
        return await commit(self, list(filter(keeps, changes)), list(filter(keeps, given)))

    async def without(self: CacheQueue, *args: Any, **rest: Any) -> Any:
        with pytest.MonkeyPatch.context() as inner:
            inner.setattr(CacheQueue, "_commit", some)
            return await run(self, *args, **rest)

    patch.setattr(CacheQueue, method, without)


# ---------------------------------------------------------------- the queue's moves


@fault(a_task_goes_inside="balance")
def claim_leaves_the_task_pending(patch: pytest.MonkeyPatch) -> None:
    _commits_without(patch, "claim", (Drop, PENDING))


@fault(
    eight_tasks_on_four_instances="once_at_a_time",
    what_lost_capacity_means_is_offered="capacity once_at_a_time",
)
def claim_is_skipped(patch: pytest.MonkeyPatch) -> None:
    """Passes overlap, and none asks whether the task is still there (F-R5)."""
    make, make_queue = Scheduling.__init__, CacheQueue.__init__

    def overlapping(self: Scheduling, *args: Any) -> None:
        make(self, *args)
        self._claim = False

    def unasked(self: CacheQueue, *args: Any, **rest: Any) -> None:
        make_queue(self, *args, **rest | {"claim": False})

    patch.setattr(Scheduling, "__init__", overlapping)
    patch.setattr(CacheQueue, "__init__", unasked)


@fault(what_comes_back_goes_first="happens_before")
def requeue_goes_to_the_tail(patch: pytest.MonkeyPatch) -> None:
    requeue = CacheQueue.requeue

    async def to_the_tail(self: CacheQueue, assignment: Assignment, retries: int) -> Entry | None:
        entry = await requeue(self, assignment, retries)
        if entry is not None:
            self.tables.pending.move_to_end(entry.id)
        return entry

    patch.setattr(CacheQueue, "requeue", to_the_tail)


@fault(what_lost_capacity_means_is_offered="balance")
def offered_task_also_stays_pending(patch: pytest.MonkeyPatch) -> None:
    _commits_without(patch, "offer", (Drop, PENDING))


@fault(what_lost_capacity_means_is_offered="count")
def offered_task_is_given_out_too(patch: pytest.MonkeyPatch) -> None:
    offer = CacheQueue.offer

    async def keep(self: CacheQueue, offers: Any) -> Any:
        offered = await offer(self, offers)
        for entry, _ in offered:
            self.tables.pending[entry.id] = entry
        return offered

    patch.setattr(CacheQueue, "offer", keep)


@fault(a_task_is_accepted_once="balance count")
def known_ids_are_forgotten(patch: pytest.MonkeyPatch) -> None:
    """A task that was accepted, and is over, is accepted again."""
    _commits_without(patch, "accept", (Put, KNOWN), (Lacks, KNOWN))


@fault(a_single_task_is_split_too="balance")
def completed_task_stays_processing(patch: pytest.MonkeyPatch) -> None:
    _commits_without(patch, "complete", (Drop, PROCESSING))


@fault(a_single_task_is_split_too="balance")
def completed_task_leaves_for_nowhere(patch: pytest.MonkeyPatch) -> None:
    _commits_without(patch, "complete", (Put, COMPLETED))


@fault(a_webhook_outlives_a_crash="bounded")
def letter_is_not_in_the_commit(patch: pytest.MonkeyPatch) -> None:
    _commits_without(patch, "complete", (Put, WEBHOOKS))


@fault(a_full_queue="count")
def queue_has_no_end(patch: pytest.MonkeyPatch) -> None:
    make = CacheQueue.__init__
    patch.setattr(
        CacheQueue,
        "__init__",
        lambda self, store, **rest: make(self, store, **rest | {"queue_max": 10**9}),
    )


# ---------------------------------------------------------------- runs and their ends


@fault(retries_are_counted="answer count")
def retry_count_is_lost_in_processing(patch: pytest.MonkeyPatch) -> None:
    start = CacheQueue._start

    async def forget(self: CacheQueue, tables: Tables, assignment: Assignment) -> Any:
        was = assignment.entry
        entry = Entry(was.id, was.payload, was.text, was.submitted_at, 0, was.attempt)
        where = assignment.instance, assignment.bridge, assignment.started_at
        return await start(self, tables, Assignment(entry, *where))

    patch.setattr(CacheQueue, "_start", forget)


@fault(a_loss_uses_up_no_retry="answer")
def lost_run_counts_as_a_retry(patch: pytest.MonkeyPatch) -> None:
    requeue = CacheQueue.requeue

    async def counted(self: CacheQueue, assignment: Assignment, retries: int) -> Entry | None:
        return await requeue(self, assignment, assignment.entry.retries + 1)

    patch.setattr(CacheQueue, "requeue", counted)


@fault(capacity_drops_from_four_to_two="capacity")
def lost_task_is_not_requeued(patch: pytest.MonkeyPatch) -> None:
    async def none(self: Losses) -> int:
        del self
        return 0

    patch.setattr(Losses, "_requeue_homeless", none)


@fault(a_run_that_goes_on_is_adopted="count")
def silent_instance_is_never_lost(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Instances, "overdue", lambda self, now: 0)
    patch.setattr(Instances, "next_overdue", lambda self: None)


@fault(a_lost_assignment_is_missed="bounded")
def lost_assignment_is_never_missed(patch: pytest.MonkeyPatch) -> None:
    """A RUN that did not arrive."""
    patch.setattr(Instances, "lacks", lambda self, instance, said, now: False)


@fault(eight_tasks_on_four_instances="once_at_a_time")
def assignment_is_missed_at_once(patch: pytest.MonkeyPatch) -> None:
    make = Instances.__init__

    def hasty(self: Instances, **rest: Any) -> None:
        make(self, **rest)
        self._missed = 0

    patch.setattr(Instances, "__init__", hasty)


@fault(one_after_another="bounded")
def instance_is_not_freed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Instances, "free", lambda self, id_, run: None)


@fault(a_run_that_goes_on_is_adopted="count once_at_a_time")
def run_that_goes_on_is_not_adopted(patch: pytest.MonkeyPatch) -> None:
    async def ignore(self: Hearing, instance: object, run: Run) -> None:
        del self, instance, run

    patch.setattr(Hearing, "_adopt", ignore)


@fault(what_ends_while_the_store_is_down="count")
def result_is_acknowledged_before_it_is_stored(patch: pytest.MonkeyPatch) -> None:
    came = Completion.came

    async def hasty(self: Completion, result: Result) -> None:
        await self._acknowledge(result)
        await came(self, result)

    patch.setattr(Completion, "came", hasty)
    patch.setattr(LocalJournal, "keep", lambda self, result: None)


@fault(what_ends_while_the_store_is_down="count")
def result_is_never_acknowledged(patch: pytest.MonkeyPatch) -> None:
    async def never(self: Bridges, result: Result) -> None:
        del self, result

    patch.setattr(Bridges, "acknowledge", never)


# ---------------------------------------------------------------- webhooks


@fault(a_webhook_outlives_a_crash="count")
def outbox_is_not_tried_again(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Webhooks, "_put_off", lambda self, task: self._all.pop(task, None))


@fault(a_webhook_outlives_a_crash="bounded")
def outbox_is_not_read_after_a_restart(patch: pytest.MonkeyPatch) -> None:
    async def nothing(self: Webhooks) -> None:
        del self

    patch.setattr(Webhooks, "load", nothing)


@fault(a_task_goes_inside="bounded")
def webhooks_are_never_called(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Webhooks, "post", lambda self, letter: None)


@fault(a_webhook_outlives_a_crash="bounded")
def any_answer_settles_a_letter(patch: pytest.MonkeyPatch) -> None:
    call = Webhooks._call

    async def content(self: Webhooks, delivery: Any) -> Mapping[str, Any]:
        return await call(self, delivery) or {}

    patch.setattr(Webhooks, "_call", content)


@fault(a_submission_takes_too_long="count")
def letters_are_sent_twice(patch: pytest.MonkeyPatch) -> None:
    call = Webhooks._call

    async def twice(self: Webhooks, delivery: Any) -> Any:
        await call(self, delivery)
        return await call(self, delivery)

    patch.setattr(Webhooks, "_call", twice)


# ---------------------------------------------------------------- reports, tokens, the start


@fault(overflow_goes_outside="equals")
def report_shows_all_as_free(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Instances, "busy", 0)


@fault(an_instance_comes="event")
def reports_come_only_by_the_clock(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        Reports,
        "_change",
        property(lambda self: asyncio.Event(), lambda self, e: None),
        raising=False,
    )


@fault(what_runs_goes_on_through_a_restart="count")
def running_is_forgotten_at_a_restart(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Instances, "restored", lambda self, was, now: None)


@fault(the_order_outlives_a_restart="bounded")
def pending_is_forgotten_at_a_restart(patch: pytest.MonkeyPatch) -> None:
    read = cache_queue._read

    async def without(store: Any) -> Tables:
        tables = await read(store)
        tables.pending.clear()
        return tables

    patch.setattr(cache_queue, "_read", without)


def test_without_a_fault_these_scenarios_are_green(played: Played) -> None:
    fault.require_green(played)


@pytest.mark.parametrize("name", fault.rows)
def test_a_planted_fault_turns_these_checks_red(
    name: str, monkeypatch: pytest.MonkeyPatch, played: Played
) -> None:
    fault.require_red(name, monkeypatch, played)
