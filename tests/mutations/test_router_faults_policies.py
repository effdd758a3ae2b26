"""Faults planted in the router's policies on purpose: the named scenarios' checks turn red."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from planting_kit import Faults, Played
from windtunnel.policies.router import health
from windtunnel.policies.router.breaker import Breaker
from windtunnel.policies.router.choice import FreeInstances
from windtunnel.policies.router.health import FailureCount, HealthMachine, Reason, State
from windtunnel.policies.router.reservation import CapacityBook
from windtunnel.policies.router.retry import after_failure
from windtunnel.policies.router.router_options import RouterOptions
from windtunnel.policies.router.split import Split, split
from windtunnel.policies.router.token_clock import TokenClock
from windtunnel.services.backend import router
from windtunnel.services.backend.router import Router
from windtunnel.services.dispatcher import completion, losses
from windtunnel.services.dispatcher.expiry import Expiry

fault = Faults()


# ---------------------------------------------------------------- the split and the capacity book


@fault(split_in_order="no_overcommit", a_task_goes_inside="equals")
def split_sends_outside_first(patch: pytest.MonkeyPatch) -> None:
    def outside_first(waiting: Sequence[object], internal: int, external: int) -> Split[object]:
        outside, inside, left = split(waiting, external, internal)
        return Split(inside, outside, left)

    patch.setattr(router, "split", outside_first)


@fault(overflow_goes_outside="bounded equals")
def split_sends_one_too_many_inside(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        router,
        "split",
        lambda waiting, internal, external: split(waiting, internal + 1, external),
    )


@fault(split_in_order="equals no_overcommit")
def split_keeps_one_place_free(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        router,
        "split",
        lambda waiting, internal, external: split(waiting, internal - 1, external),
    )


@fault(a_backlog_goes_in_order="happens_before")
def split_takes_the_newest_first(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(
        router,
        "split",
        lambda waiting, internal, external: split(list(waiting)[::-1], internal, external),
    )


@fault(split_in_order="no_overcommit", overflow_goes_outside="equals")
def book_drops_a_reservation(patch: pytest.MonkeyPatch) -> None:
    """Between two reports what was sent inside does not count."""
    reserve = CapacityBook.reserve_inside

    def forget(self: CapacityBook) -> int:
        number = reserve(self)
        self._held.pop(number, None)
        return number

    patch.setattr(CapacityBook, "reserve_inside", forget)


@fault(a_single_task_is_split_too="event", one_after_another="bounded")
def book_keeps_a_reservation_for_ever(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(CapacityBook, "accepted", lambda self, number, report: None)


@fault(one_after_another="bounded")
def book_keeps_what_was_refused(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(CapacityBook, "release_inside", lambda self, number: None)


@fault(a_late_report_keeps_reservations="capacity equals")
def a_report_erases_reservations(patch: pytest.MonkeyPatch) -> None:
    """Also one that was made before the task was accepted."""
    take = CapacityBook.report

    def erase(self: CapacityBook, online: int, busy: int, sequence: int) -> bool:
        self._held.clear()
        return take(self, online, busy, sequence)

    patch.setattr(CapacityBook, "report", erase)


@fault(split_in_order="no_overcommit", overflow_goes_outside="equals")
def book_takes_online_for_free(patch: pytest.MonkeyPatch) -> None:
    take = CapacityBook.report
    patch.setattr(
        CapacityBook, "report", lambda self, online, busy, sequence: take(self, online, 0, sequence)
    )


@fault(what_runs_outside_counts_after_a_restart="count", a_single_task_is_split_too="count")
def book_does_not_count_outside(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(CapacityBook, "external", lambda self: self._external_max)


@fault(a_fallback_that_itself_fails="bounded")
def book_never_gives_outside_back(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(CapacityBook, "end_outside", lambda self: None)


# ---------------------------------------------------------------- the breaker


@fault(half_open_lets_one_through="count")
def breaker_half_open_lets_all_through(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Breaker, "allow", lambda self, now: self._epoch)
    patch.setattr(
        Router,
        "_through_breaker",
        lambda self, capacity, probing: 0 if self._accounts.breaker.state() == "open" else capacity,
    )


@fault(the_breaker="count")
def breaker_never_opens(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Breaker, "failure", lambda self, ticket, now: None)


@fault(the_breaker="count")
def breaker_never_closes(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Breaker, "success", lambda self, ticket, now: None)


@fault(a_late_success_closes_no_breaker="count")
def breaker_takes_late_results(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Breaker, "_counts", lambda self, ticket: True)


# ---------------------------------------------------------------- health


@fault(no_side_has_room="recovery", degradation_by_cause="recovery")
def health_recovers_after_one_check(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(health, "RECOVERY_CHECKS", 1)


@fault(degradation_by_cause="recovery")
def health_counts_checks_that_are_not_in_a_row(patch: pytest.MonkeyPatch) -> None:
    immediate = HealthMachine.immediate

    def kept(self: HealthMachine, reason: Reason) -> object:
        good = self._good
        try:
            return immediate(self, reason)
        finally:
            self._good = good

    patch.setattr(HealthMachine, "immediate", kept)


@fault(no_side_has_room="bounded")
def health_never_recovers(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(health, "RECOVERY_CHECKS", 10**6)


@fault(the_first_cause_counts="count")
def health_degrades_by_the_wrong_precedence(patch: pytest.MonkeyPatch) -> None:
    """Capacity is looked at before the link."""
    trigger = health.trigger

    def capacity_first(state: State, now: int, options: RouterOptions) -> Reason | None:
        if state.online <= 0:
            return "no_instance"
        if state.available <= 0:
            return "nothing_available"
        return trigger(state, now, options)

    patch.setattr(health, "trigger", capacity_first)


@fault(no_side_has_room="count")
def health_takes_none_online_for_none_free(patch: pytest.MonkeyPatch) -> None:
    trigger = health.trigger

    def merged(state: State, now: int, options: RouterOptions) -> Reason | None:
        reason = trigger(state, now, options)
        return "nothing_available" if reason == "no_instance" else reason

    patch.setattr(health, "trigger", merged)


@fault(degradation_by_cause="count")
def health_does_not_mind_a_missing_heartbeat(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(health, "_recent", lambda state, now, options: True)


@fault(degradation_by_cause="bounded count")
def health_does_not_mind_full_instances(patch: pytest.MonkeyPatch) -> None:
    trigger = health.trigger

    def lenient(state: State, now: int, options: RouterOptions) -> Reason | None:
        reason = trigger(state, now, options)
        return None if reason == "nothing_available" else reason

    patch.setattr(health, "trigger", lenient)


@fault(http_health_fails_three_times="count")
def http_verdict_never_turns(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(FailureCount, "note", lambda self, ok: True)


# ---------------------------------------------------------------- instances, retries, expiry


@fault(the_preferred_instance="count")
def choice_ignores_the_preference(patch: pytest.MonkeyPatch) -> None:
    take = FreeInstances.take
    patch.setattr(FreeInstances, "take", lambda self, _, bridge: take(self, None, bridge))


@fault(the_same_bridge_first="count")
def choice_ignores_the_bridge(patch: pytest.MonkeyPatch) -> None:
    take = FreeInstances.take
    patch.setattr(FreeInstances, "take", lambda self, wanted, _: take(self, wanted, None))


@fault(retries_are_counted="answer count")
def retries_are_not_counted(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(completion, "after_failure", lambda count, limit: after_failure(0, limit))


@fault(retries_are_counted="answer count")
def one_retry_too_many(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(completion, "after_failure", lambda count, limit: after_failure(count, limit + 1))


@fault(a_task_expires="bounded")
def nothing_expires(patch: pytest.MonkeyPatch) -> None:
    async def never(self: Expiry) -> None:
        del self

    patch.setattr(Expiry, "_due", never)


@fault(what_lost_capacity_means_is_offered="capacity count")
def all_of_the_backlog_is_offered(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(losses, "to_offer", lambda pending, before, left, lost, options: pending)


@fault(what_lost_capacity_means_is_offered="count")
def nothing_is_offered(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(losses, "to_offer", lambda pending, before, left, lost, options: 0)


# ---------------------------------------------------------------- the token


@fault(a_failed_refresh_keeps_the_old_token="answer")  # noqa: S106 - a scenario's name
def failed_refresh_takes_the_old_token(patch: pytest.MonkeyPatch) -> None:
    failed = TokenClock.failed

    def dropped(self: TokenClock, now: int) -> None:
        failed(self, now)
        self._expires = None

    patch.setattr(TokenClock, "failed", dropped)


def test_without_a_fault_these_scenarios_are_green(played: Played) -> None:
    fault.require_green(played)


@pytest.mark.parametrize("name", fault.rows)
def test_a_planted_fault_turns_these_checks_red(
    name: str, monkeypatch: pytest.MonkeyPatch, played: Played
) -> None:
    fault.require_red(name, monkeypatch, played)
