"""Faults planted in the simulated cluster on purpose: the named scenarios' checks turn red.

A model that is kinder than a network, a store or an instance is would make every verdict worthless.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from planting_kit import Faults, Played
from windtunnel.faults import Faults as RunFaults
from windtunnel.ports.store import Change, Condition
from windtunnel.world import Fault
from windtunnel_models.cluster import bridge, external, instance
from windtunnel_models.cluster.channels import Pipe
from windtunnel_models.cluster.conditions import Conditions
from windtunnel_models.cluster.exchanges import Exchange
from windtunnel_models.cluster.external import ExternalPlatform, Job
from windtunnel_models.cluster.host_store import HostStore
from windtunnel_models.cluster.hosts import SimHosts
from windtunnel_models.cluster.instance import Instance, Order
from windtunnel_models.cluster.lives import Life
from windtunnel_models.cluster.network import SimNetwork
from windtunnel_models.cluster.obstacles import Cut, Obstacles
from windtunnel_models.cluster.parcels import Parcel
from windtunnel_models.cluster.store import SimStore
from windtunnel_models.cluster.tables import Table
from windtunnel_models.cluster.work import Work

fault = Faults()


# ---------------------------------------------------------------- the network's faults


@fault(a_submission_on_a_bad_line="event")
def partition_of_a_host_lets_things_through(patch: pytest.MonkeyPatch) -> None:
    stops = Obstacles.stops

    def lenient(self: Obstacles, parcel: Parcel) -> bool:
        cuts, self._cuts = self._cuts, []
        try:
            return stops(self, parcel)
        finally:
            self._cuts = cuts

    patch.setattr(Obstacles, "stops", lenient)


@fault(two_of_four_instances_drop="capacity")
def partition_of_an_instance_lets_things_through(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Instance, "_is_cut", lambda self, op: False)


@fault(a_submission_on_a_bad_line="event")
def partition_loses_what_it_should_hold(patch: pytest.MonkeyPatch) -> None:
    take = Obstacles.take

    def lose(self: Obstacles, obstacle: Any) -> None:
        if isinstance(obstacle, Cut):
            self._held.clear()
        take(self, obstacle)

    patch.setattr(Obstacles, "take", lose)


@fault(a_submission_on_a_bad_line="count", everything_comes_twice="count")
def duplicate_does_not_double(patch: pytest.MonkeyPatch) -> None:
    fate = Obstacles.fate
    patch.setattr(Obstacles, "fate", lambda self, parcel: tuple(fate(self, parcel))[:1])


@fault(a_submission_on_a_bad_line="event", a_lost_assignment_is_missed="count")
def lose_does_not_lose(patch: pytest.MonkeyPatch) -> None:
    fate = Obstacles.fate
    patch.setattr(Obstacles, "fate", lambda self, parcel: tuple(fate(self, parcel)) or (0,))


@fault(a_submission_on_a_bad_line="event")
def delay_does_not_delay(patch: pytest.MonkeyPatch) -> None:
    fate = Obstacles.fate
    patch.setattr(Obstacles, "fate", lambda self, parcel: (0,) * len(fate(self, parcel)))


@fault(an_unanswered_heartbeat_breaks_the_link="count")
def silent_channels_are_heard(patch: pytest.MonkeyPatch) -> None:
    gap = Obstacles._gap
    patch.setattr(
        Obstacles,
        "_gap",
        lambda self, parcel, kind: None if kind == "silent" else gap(self, parcel, kind),
    )


@fault(the_network_flaps="count")
def flap_breaks_nothing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(SimNetwork, "break_all", lambda self, between: None)


@fault(degradation_by_cause="equals")
def flap_lets_new_connections_in(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Obstacles, "refuses", lambda self, parcel: False)


@fault(the_breaker="count")
def answers_are_the_programs_own(patch: pytest.MonkeyPatch) -> None:
    """Reject, unanswered and accept_late have no effect."""
    patch.setattr(Obstacles, "answer", lambda self, host, request: None)


@fault(one_after_another="event")
def rejected_requests_are_seen_all_the_same(patch: pytest.MonkeyPatch) -> None:
    serve = Exchange._serve_otherwise

    def both(self: Exchange, station: Any, server: Any, answer: Any) -> None:
        if answer.response is not None:
            self._serve(station, server, None)
        serve(self, station, server, answer)

    patch.setattr(Exchange, "_serve_otherwise", both)


@fault(a_submission_takes_too_long="count")
def an_answer_that_is_late_comes_at_once(patch: pytest.MonkeyPatch) -> None:
    reply = Exchange._reply
    patch.setattr(
        Exchange,
        "_reply",
        lambda self, content, later: reply(self, content, 0 if later else later),
    )


@fault(reports_keep_their_order="count")
def messages_on_a_channel_overtake(patch: pytest.MonkeyPatch) -> None:
    send = Pipe.send

    def free(self: Pipe, message: Any) -> None:
        self._last = 0
        send(self, message)

    patch.setattr(Pipe, "send", free)


@fault(a_submission_on_a_bad_line="conservation")
def faults_are_not_undone(patch: pytest.MonkeyPatch) -> None:
    async def stays(_self: RunFaults, _fault: Fault) -> None: ...

    patch.setattr(RunFaults, "undo", stays)


# ---------------------------------------------------------------- hosts and stores


@fault(a_crash_before_the_owner_is_told="bounded")
def crash_leaves_the_program_alive(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Life, "end", lambda self: None)


@fault(a_restart_loses_nothing="bounded")
def crash_takes_the_store_along(patch: pytest.MonkeyPatch) -> None:
    crash = SimHosts.crash

    def wipe(self: SimHosts, name: str) -> None:
        crash(self, name)
        store = self.store(name)
        for key in ("waiting", "md:cache:pending"):
            for id_, _ in store.first(key, 10**6):
                store._table(key).drop(id_)

    patch.setattr(SimHosts, "crash", wipe)


@fault(a_task_goes_inside="balance")
def commit_is_not_atomic(patch: pytest.MonkeyPatch) -> None:
    """Each change is a commit of its own."""
    commit = SimStore.commit

    def one_by_one(self: SimStore, changes: Sequence[Change], given: Sequence[Condition]) -> bool:
        made = commit(self, changes[:1], given)
        for change in changes[1:] if made else ():
            commit(self, [change], ())
        return made

    patch.setattr(SimStore, "commit", one_by_one)


@fault(a_task_goes_inside="balance")
def commit_is_cut_short_by_a_crash(patch: pytest.MonkeyPatch) -> None:
    commit = HostStore.commit

    async def slow(
        self: HostStore, changes: Sequence[Change], given: Sequence[Condition] = ()
    ) -> bool:
        made = await commit(self, changes[:1], given)
        for change in changes[1:] if made else ():
            await commit(self, [change], ())
        return made

    patch.setattr(HostStore, "commit", slow)


@fault(a_task_is_accepted_once="balance count")
def conditions_always_hold(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(SimStore, "_holds", lambda self, condition: True)


@fault(the_order_outlives_a_restart="bounded")
def head_is_the_tail(patch: pytest.MonkeyPatch) -> None:
    put = Table.put
    patch.setattr(
        Table,
        "put",
        lambda self, id_, value, until, *, head: put(self, id_, value, until, head=False),
    )


@fault(the_store_is_down="count")
def store_that_is_down_answers(patch: pytest.MonkeyPatch) -> None:
    async def begin(self: HostStore) -> SimStore:
        for felt in self._store.outages.values():
            felt("")
        return self._store

    patch.setattr(HostStore, "_begin", begin)


# ---------------------------------------------------------------- instances and the platform


@fault(everything_comes_twice="count")
def instance_takes_several_at_once(patch: pytest.MonkeyPatch) -> None:
    take = Instance._take

    def greedy(self: Instance, order: Order) -> None:
        self.order = None
        take(self, order)

    patch.setattr(Instance, "_take", greedy)


@fault(eight_tasks_on_four_instances="capacity")
def work_outlives_a_crash(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Work, "stop", lambda self: None)


@fault(an_instance_comes="event")
def nobody_hears_of_an_instance_that_goes_off(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Instance, "_be_noticed", lambda self: None)


@fault(a_task_goes_inside="answer")
def result_is_that_of_no_task(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(instance, "result_of", lambda payload: "something else")


@fault(retries_are_counted="answer count")
def work_never_fails(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Conditions, "failure", lambda self, place, op: None)


@fault(retries_are_counted="answer count")
def work_fails_for_ever(patch: pytest.MonkeyPatch) -> None:
    failure = Conditions.failure

    def again(self: Conditions, place: str, op: str) -> str | None:
        for sabotage in self.sabotages:
            sabotage.left = None
        return failure(self, place, op)

    patch.setattr(Conditions, "failure", again)


@fault(slow_work_takes_longer="bounded")
def work_is_never_slower(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Conditions, "pace", lambda self, place, op: 1.0)


@fault(a_lost_result_is_said_again="count")
def bridge_says_a_result_once(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(bridge._Life, "_send_again", lambda self, fresh_s: None)


@fault(a_run_that_goes_on_is_adopted="count")
def bridge_never_says_who_is_alive(patch: pytest.MonkeyPatch) -> None:
    async def beat(self: Any) -> None:
        while True:
            await asyncio.sleep(self._heartbeat_s)
            self._send_again(self._fresh_s)

    patch.setattr(bridge._Life, "_beat", beat)


@fault(a_full_platform_is_asked_again="bounded count")
def platform_takes_more_than_it_has(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ExternalPlatform, "free", 1)


@fault(overflow_goes_outside="bounded")
def platform_calls_nobody(patch: pytest.MonkeyPatch) -> None:
    async def nobody(ports: object, job: Job) -> None:
        del ports, job

    patch.setattr(external, "_call", nobody)


@fault(a_full_platform_is_asked_again="bounded count")
def occupied_places_are_free(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(ExternalPlatform, "occupied", 0)


def test_without_a_fault_these_scenarios_are_green(played: Played) -> None:
    fault.require_green(played)


@pytest.mark.parametrize("name", fault.rows)
def test_a_planted_fault_turns_these_checks_red(
    name: str, monkeypatch: pytest.MonkeyPatch, played: Played
) -> None:
    fault.require_red(name, monkeypatch, played)
