"""What a cell needs of a scheduler: told as the reason for which it is skipped."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.errors import RequirementError
from windtunnel.systems.ui import UISystem
from windtunnel.systems.ui.given import Policy

OURS = "windtunnel.services.bridge.scheduler.ui_scheduler:UIActionScheduler"
OLD = "windtunnel.services.bridge.scheduler.send_queue:SendQueue"
PLAIN = f"{__name__}:Plain"
TIMED = frozenset({"bounded"})
PAUSE = {"scheduler": {"send_delay": "0s"}}


class Plain:
    """A scheduler that has what it must have, and a pause."""

    def __init__(self, send_delay_ms: float) -> None:
        self.send_delay_ms = send_delay_ms

    async def start(self) -> None:
        """Begin."""

    async def stop(self) -> None:
        """End."""

    async def enqueue(self, action: Any) -> Any:
        return await action()


def lacks(kit: Any, scheduler: str, *planned: Any, **said: Any) -> str:
    bench = kit.bench(said.pop("given", None), scheduler=scheduler, planned=planned, **said)
    try:
        UISystem().build(bench.setup)
    except RequirementError as error:
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        ({}, ""),
        ({"priority": "HIGH"}, "Plain lacks priority"),
        ({"wait": "5s"}, "Plain lacks wait_timeout_ms"),
        ({"delay_after": "1s"}, "Plain lacks delay_ms"),
        ({"delay_after": "3s"}, ""),  # what it pauses anyway
        (
            {"priority": "LOW", "wait": "5s", "delay_after": "1s"},
            "Plain lacks priority, wait_timeout_ms, delay_ms",
        ),
    ],
    ids=str,
)
def test_of_a_submission(kit: Any, said: dict[str, str], reason: str) -> None:
    operation = kit.submit("a", "send_file", **said)
    assert lacks(kit, PLAIN, operation, checks=TIMED) == reason


def test_order_and_pauses_do_not_matter_to_checks_that_see_neither(kit: Any) -> None:
    operation = kit.submit("a", priority="HIGH", delay_after="1s")
    assert lacks(kit, PLAIN, operation, checks=frozenset({"conservation", "rate"})) == ""
    assert lacks(kit, PLAIN, operation, checks=frozenset({"rate", "fifo", "gap"})) != ""


@pytest.mark.parametrize("order", ["priority", "fifo"])
def test_of_a_policy(kit: Any, order: Any) -> None:
    reason = "UIActionScheduler lacks policy option order: fifo" if order == "fifo" else ""
    assert lacks(kit, OURS, policy=Policy(order=order)) == reason
    UISystem().build(kit.bench(policy=Policy(order=order)).setup)  # our own has them all


@pytest.mark.parametrize(
    ("scheduler", "name", "reason"),
    [
        (PLAIN, "scheduler.start", ""),
        (PLAIN, "scheduler.drain", "Plain lacks drain"),
        (PLAIN, "scheduler.mark_wechat_ready", "Plain lacks mark_wechat_ready"),
        (PLAIN, "watchdog.act", "Plain lacks drain, mark_wechat_dead"),
        (OLD, "scheduler.drain", "SendQueue lacks drain"),
        (OURS, "watchdog.act", ""),
        (OURS, "scheduler.mark_wechat_dead", ""),
    ],
)
def test_of_a_call(kit: Any, scheduler: str, name: str, reason: str) -> None:
    assert lacks(kit, scheduler, kit.call("c", name)) == reason


@pytest.mark.spec("UI-W4")
def test_before_frees_the_watchdog_of_a_scheduler_and_nobody_else(kit: Any) -> None:
    before = {"wiring": "before"}
    assert lacks(kit, OLD, kit.call("c", "watchdog.act"), given=before) == ""
    assert lacks(kit, OLD, kit.call("c", "watchdog.act"), given={"wiring": "phase1"}) == ""
    drain = kit.call("c", "scheduler.drain")
    assert lacks(kit, OLD, drain, given=before) == "SendQueue lacks drain"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("route.send_text", "Plain lacks wait_timeout_ms"),
        ("route.send_file", "Plain lacks wait_timeout_ms"),
        ("orchestrator.send_file", "Plain lacks wait_timeout_ms"),
        ("route.like", "Plain lacks priority, wait_timeout_ms"),
        ("friend_watcher.poll", "Plain lacks priority, wait_timeout_ms"),
        (
            "route.autofix",
            "Plain lacks priority, wait_timeout_ms, delay_ms, mark_wechat_dead",
        ),
        ("route.status", ""),
        ("login_guard.look", ""),
        ("watchdog.look", ""),
        ("bridge.stop", ""),
    ],
)
def test_of_a_call_that_submits(kit: Any, name: str, reason: str) -> None:
    assert lacks(kit, PLAIN, kit.call("c", name), checks=TIMED) == reason
    assert lacks(kit, OURS, kit.call("c", name), checks=TIMED) == ""


def test_of_a_batch(kit: Any) -> None:
    call = kit.call("c", "batch.run", sends=[{"to": "ann", "text": "x"}])
    assert lacks(kit, PLAIN, call) == "Plain lacks wait_timeout_ms"


@pytest.mark.parametrize(
    ("loop", "reason"),
    [
        ("watchdog", "Plain lacks drain, mark_wechat_dead"),
        ("friend_watcher", "Plain lacks priority, wait_timeout_ms"),
        ("login_guard", ""),
        ("streamer", ""),
    ],
)
def test_of_a_loop_that_runs_by_itself(kit: Any, loop: str, reason: str) -> None:
    given = {"background": {loop: True}}
    assert lacks(kit, PLAIN, given=given, checks=TIMED) == reason


def test_a_direct_call_needs_nothing(kit: Any) -> None:
    restart = kit.submit("a", "restart", wait="5s")
    assert lacks(kit, PLAIN, restart, checks=TIMED, given={"wiring": "phase1"}) == ""
    assert lacks(kit, PLAIN, restart, checks=TIMED) == (
        "Plain lacks priority, wait_timeout_ms, delay_ms, mark_wechat_dead"
    )


@pytest.mark.parametrize("figure", ["max_calls_per_sec", "max_queue_size"])
def test_a_limit_that_the_cell_sets_must_be_taken(kit: Any, figure: str) -> None:
    given = {"scheduler": {figure: 2}}
    assert lacks(kit, PLAIN, given=given) == f"Plain lacks {figure}"
    assert lacks(kit, OURS, given=given) == ""


@pytest.mark.parametrize("check", ["equals", "invariant"])
def test_observed_values_need_metrics(kit: Any, check: str) -> None:
    checks = frozenset({check})
    assert lacks(kit, OLD, checks=checks) == "SendQueue lacks get_metrics"
    assert lacks(kit, OURS, checks=checks) == ""


@pytest.mark.spec("UI-M1", "UI-Q14")
def test_our_own_queue_without_metrics_tells_its_status(kit: Any) -> None:
    UISystem().build(kit.bench({"wiring": "before"}, checks=frozenset({"equals"})).setup)


def test_each_need_is_told_once(kit: Any) -> None:
    planned = [kit.submit(name, wait="5s") for name in ("a", "b")]
    calls = [kit.call(name, "scheduler.drain") for name in ("c", "d")]
    assert lacks(kit, PLAIN, *planned, *calls, given=PAUSE) == (
        "Plain lacks wait_timeout_ms, drain"
    )
