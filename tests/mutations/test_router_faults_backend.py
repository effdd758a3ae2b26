"""Faults planted in the router's backend on purpose: the named scenarios' checks turn red."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

import pytest

from planting_kit import Faults, Played
from windtunnel.ports.network import Request, Response
from windtunnel.ports.store import Change, Put
from windtunnel.services.backend import intake, journal
from windtunnel.services.backend.adapters.external import ExternalAdapter
from windtunnel.services.backend.adapters.internal import InternalAdapter
from windtunnel.services.backend.answer import Answer
from windtunnel.services.backend.callbacks import Callbacks
from windtunnel.services.backend.degradation import Degradation
from windtunnel.services.backend.entry import OVER, Entry, Side
from windtunnel.services.backend.fallback import Fallback
from windtunnel.services.backend.health_monitor import HealthMonitor
from windtunnel.services.backend.journal import UNTOLD, Journal
from windtunnel.services.backend.ledger import Ledger
from windtunnel.services.backend.outside_slots import OutsideSlots
from windtunnel.services.backend.owners import Owners, Tell
from windtunnel.services.backend.platforms import Refusal
from windtunnel.services.backend.poller import Poller
from windtunnel.services.backend.queries import Queries
from windtunnel.services.backend.waiting_queue import WaitingQueue
from windtunnel.services.wire.task import Task
from windtunnel.systems.router import programs

fault = Faults()


# ---------------------------------------------------------------- what waits, and what is decided


@fault(one_after_another="happens_before", a_backlog_goes_in_order="happens_before")
def remainder_goes_back_in_the_wrong_order(patch: pytest.MonkeyPatch) -> None:
    take = Poller._take

    def reverse(self: Poller, entries: Any, side: Side) -> None:
        take(self, entries, side)
        lanes = self._ledger.waiting._lanes
        if entries:
            lanes["routed"] = OrderedDict(reversed(lanes["routed"].items()))

    patch.setattr(Poller, "_take", reverse)


@fault(one_after_another="happens_before")
def what_fell_back_waits_behind_all_others(patch: pytest.MonkeyPatch) -> None:
    def last(self: WaitingQueue, entry: Entry) -> None:
        self._lanes[self._lane(entry)][entry.id] = entry

    patch.setattr(WaitingQueue, "add", last)


@fault(other_platforms_go_as_before="equals")
def other_platforms_are_routed(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        WaitingQueue, "_lane", lambda self, entry: "outside" if entry.external else "routed"
    )


@fault(the_feature_is_off="count equals")
def tasks_are_routed_though_the_feature_is_off(patch: pytest.MonkeyPatch) -> None:
    make = programs.backend_settings
    patch.setattr(
        programs, "backend_settings", lambda given: make(given).model_copy(update={"enabled": True})
    )


@fault(no_side_has_room="happens_before")
def degraded_router_goes_on_inside(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Degradation, "degraded", False)


@fault(degradation_by_cause="bounded")
def a_lost_channel_is_left_to_the_next_check(patch: pytest.MonkeyPatch) -> None:
    def look(self: HealthMonitor) -> None:
        if self._running and not self._degradation.known and self._state.reported:
            self._look()

    patch.setattr(HealthMonitor, "changed", look)


@fault(a_single_task_is_split_too="count traced")
def decision_is_not_noted(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Poller, "_say", lambda self, decision: None)


@fault(the_wrong_form_goes_nowhere="count")
def form_is_not_looked_at(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(intake, "wrong_form", lambda body: None)


# ---------------------------------------------------------------- submissions


@fault(a_full_queue="count")
def breaker_counts_client_errors(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Refusal, "of_platform", True)


@fault(a_refused_submission_falls_back="conservation")
def a_refusal_ends_the_task(patch: pytest.MonkeyPatch) -> None:
    def end(self: Fallback, entry: Entry, refusal: Refusal) -> None:
        self.give_back(entry)
        self._results.end(Answer(entry.id, "failed", error=str(refusal)))

    patch.setattr(Fallback, "refused_inside", end)


@fault(a_submission_takes_too_long="count", a_submission_on_a_bad_line="event")
def fallback_loses_the_task(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Fallback, "_mark", lambda self, entry, from_, why: None)


@fault(a_submission_takes_too_long="balance")
def fallback_takes_the_task_out_of_the_books(patch: pytest.MonkeyPatch) -> None:
    move = journal._move

    def drop(entry: Entry, *more: Any) -> Iterator[Change]:
        changes = move(entry, *more)
        if not entry.external:
            return changes
        return (c for c in changes if not (isinstance(c, Put) and c.key == "waiting"))

    patch.setattr(journal, "_move", drop)


@fault(one_after_another="bounded")
def fallback_keeps_the_reservation(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Fallback, "give_back", lambda self, entry: None)


@fault(a_full_platform_is_asked_again="conservation bounded")
def a_refusal_for_capacity_uses_up_a_round(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Refusal, "of_capacity", False)


@fault(what_lost_capacity_means_is_offered="count")
def offered_task_is_not_taken(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Fallback, "offered", lambda self, entry: False)


@fault(what_runs_outside_counts_after_a_restart="count")
def slots_outside_are_forgotten_at_a_restart(patch: pytest.MonkeyPatch) -> None:
    begin = OutsideSlots.begin
    patch.setattr(
        OutsideSlots, "begin", lambda self, id_, request="": None if request else begin(self, id_)
    )


@fault(a_task_goes_inside="answer")
def body_is_of_another_workflow(patch: pytest.MonkeyPatch) -> None:
    body = InternalAdapter.body

    def another(self: InternalAdapter, task: Task, apikey: str, webhook: str) -> dict[str, Any]:
        return {**body(self, task, apikey, webhook), "workflow_id": "another"}

    patch.setattr(InternalAdapter, "body", another)


@fault(fields_nobody_knows_pass="answer")  # noqa: S106 - a scenario's name
def external_body_is_of_another_workflow(patch: pytest.MonkeyPatch) -> None:
    body = ExternalAdapter.body

    def another(self: ExternalAdapter, task: Task, apikey: str, webhook: str) -> dict[str, Any]:
        return {**body(self, task, apikey, webhook), "workflow_id": "another"}

    patch.setattr(ExternalAdapter, "body", another)


# ---------------------------------------------------------------- results


@fault(a_submission_takes_too_long="count")
def second_result_is_accepted_too(patch: pytest.MonkeyPatch) -> None:
    finish, leave = Ledger.finish, Ledger._leave

    def still_open(self: Ledger, answer: Answer) -> Entry | None:
        entry = finish(self, answer)
        if entry is not None:
            self._open[answer.id] = entry
        return entry

    patch.setattr(Ledger, "finish", still_open)
    patch.setattr(Ledger, "_leave", lambda self, entry: entry.place in OVER or leave(self, entry))


@fault(a_task_goes_inside="answer")
def result_is_that_of_another_task(patch: pytest.MonkeyPatch) -> None:
    finish = Ledger.finish
    last: list[Any] = ["nothing"]

    def swapped(self: Ledger, answer: Answer) -> Entry | None:
        wrong = Answer(answer.id, answer.status, last[0], answer.error)
        last[0] = answer.result
        return finish(self, wrong)

    patch.setattr(Ledger, "finish", swapped)


@fault(overflow_goes_outside="conservation")
def owners_are_told_before_it_is_stored(patch: pytest.MonkeyPatch) -> None:
    make, finish = Owners.__init__, Ledger.finish
    tells: dict[Ledger, Tell] = {}
    told: list[asyncio.Future[None]] = []

    def listened(self: Owners, ledger: Ledger, tell: Tell) -> None:
        tells[ledger] = tell
        make(self, ledger, tell)

    def hasty(self: Ledger, answer: Answer) -> Entry | None:
        told.append(asyncio.ensure_future(tells[self](answer)))
        return finish(self, answer)

    patch.setattr(Owners, "__init__", listened)
    patch.setattr(Ledger, "finish", hasty)


@fault(a_crash_before_the_owner_is_told="bounded")
def owners_are_not_told_after_a_restart(patch: pytest.MonkeyPatch) -> None:
    load = Ledger.load

    async def forget(self: Ledger) -> None:
        await load(self)
        self.untold.clear()

    patch.setattr(Ledger, "load", forget)


@fault(a_crash_before_the_owner_is_told="bounded")
def outbox_is_not_in_the_commit(patch: pytest.MonkeyPatch) -> None:
    move = journal._move

    def without(entry: Entry, *more: Any) -> Iterator[Change]:
        changes = move(entry, *more)
        return (c for c in changes if not (isinstance(c, Put) and c.key == UNTOLD))

    patch.setattr(journal, "_move", without)


@fault(a_crash_before_the_owner_is_told="count")
def owners_are_never_crossed_out(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Journal, "told", lambda self, id_: None)


@fault(the_backends_store_is_down="count")
def webhook_is_answered_before_it_is_stored(patch: pytest.MonkeyPatch) -> None:
    handle = Callbacks.handle

    async def hasty(self: Callbacks, request: Request) -> Response:
        answer = await handle(self, request)
        return answer if answer.status in (200, 400, 404) else Response(200, {"ok": True})

    patch.setattr(Callbacks, "handle", hasty)


@fault(a_platform_calls_once="bounded")
def platforms_are_never_asked(patch: pytest.MonkeyPatch) -> None:
    async def nothing(self: Queries, question: object) -> None:
        del self, question

    patch.setattr(Queries, "ask", nothing)


# ---------------------------------------------------------------- a restart


@fault(a_restart_loses_nothing="bounded")
def what_was_being_sent_is_forgotten(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Poller, "_resumed", lambda self: [])


@fault(a_restart_loses_nothing="bounded")
def what_waited_is_forgotten(patch: pytest.MonkeyPatch) -> None:
    load = Ledger.load

    async def forget(self: Ledger) -> None:
        await load(self)
        for lane in self.waiting._lanes.values():
            lane.clear()

    patch.setattr(Ledger, "load", forget)


@fault(calls_are_answered="balance")
def a_known_task_is_taken_in_again(patch: pytest.MonkeyPatch) -> None:
    add = Ledger.add

    def anew(self: Ledger, task: Task) -> Entry | None:
        with pytest.MonkeyPatch.context() as inner:
            inner.setattr(Ledger, "place", lambda self, id_: None)
            return add(self, task)

    patch.setattr(Ledger, "add", anew)


def test_without_a_fault_these_scenarios_are_green(played: Played) -> None:
    fault.require_green(played)


@pytest.mark.parametrize("name", fault.rows)
def test_a_planted_fault_turns_these_checks_red(
    name: str, monkeypatch: pytest.MonkeyPatch, played: Played
) -> None:
    fault.require_red(name, monkeypatch, played)
