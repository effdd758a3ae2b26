"""Holding: what `order` says comes second waits for what comes first; else it is not reachable."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from windtunnel.checks.base import Verdict
from windtunnel.scenario.playing.single_run import run_once
from windtunnel.scenario.results import CellResult
from windtunnel.world import Limits, Ties


def times(result: CellResult, kind: str, command: str = "") -> dict[str, float]:
    """Operation → seconds at which it had its first event of that kind (and command)."""
    found: dict[str, float] = {}
    for line in result.trace:
        event = json.loads(line)
        if event["kind"] == kind and command in ("", event.get("details", {}).get("command")):
            found.setdefault(event["op"], event["t"] / 1e9)
    return found


def test_a_submission_is_held_until_its_first_has_happened(bench: SimpleNamespace) -> None:
    cell = bench.cell(
        bench.job("a", "0s"),
        bench.job("b", "0s"),
        order=(bench.held("a.settled", "b.submitted"),),
        expect=(bench.expect("count", of="job", equals=2),),
    )
    result = run_once(cell, keep_trace=True)
    assert result.verdict is Verdict.PASS, result.reason
    assert times(result, "action.submitted") == {"a": 0.0, "b": 3.0}


def test_a_command_is_held_before_it_begins(bench: SimpleNamespace) -> None:
    cell = bench.cell(
        bench.job("a", "0s", repeat=2, every="5s"),
        bench.job("b", "0s"),
        order=(bench.held("a.1.work.begin", "b.work.begin"),),
        expect=(bench.expect("count", of="job", equals=3),),
    )
    result = run_once(cell, keep_trace=True)
    assert result.verdict is Verdict.PASS, result.reason
    assert times(result, "command.started", "open")["b"] == 0.0
    assert times(result, "command.started", "work")["b"] == 6.0


def test_the_nth_command_of_a_name_is_held(bench: SimpleNamespace) -> None:
    cell = bench.cell(
        bench.job("a", "0s", commands=("key", "key", "key")),
        bench.ring("bell", "7s"),
        order=(bench.held("bell.settled", "a.key#2.begin"),),
        expect=(bench.expect("count", of="job", equals=1),),
    )
    result = run_once(cell, keep_trace=True)
    started = [
        event["t"] / 1e9
        for line in result.trace
        if (event := json.loads(line))["kind"] == "command.started"
    ]
    assert (result.verdict, started) == (Verdict.PASS, [0.0, 7.0, 8.0])


def test_the_first_of_a_repeat_is_meant_by_number_0(bench: SimpleNamespace) -> None:
    for repeat in ({}, {"repeat": 1}):
        cell = bench.cell(
            bench.job("a", "0s", **repeat),
            bench.ring("bell", "2s"),
            order=(bench.held("bell.settled", "a.0.submitted"),),
            expect=(bench.expect("count", of="job", equals=1),),
        )
        result = run_once(cell, keep_trace=True)
        assert set(times(result, "action.submitted").values()) == {2.0}


def test_a_call_can_be_held_and_wait_for_several(bench: SimpleNamespace) -> None:
    cell = bench.cell(
        bench.ring("bell", "0s"),
        bench.job("a", "1s"),
        bench.job("b", "4s"),
        order=(
            bench.held("b.settled", "bell.submitted"),
            bench.held("a.settled", "bell.submitted"),
        ),
        expect=(bench.expect("count", of="job", equals=2),),
    )
    result = run_once(cell, keep_trace=True)
    assert result.verdict is Verdict.PASS, result.reason
    assert times(result, "call.started") == {"bell": 7.0}


def test_what_has_happened_holds_nothing(bench: SimpleNamespace) -> None:
    cell = bench.cell(
        bench.job("a", "0s"),
        bench.job("b", "5s"),
        order=(bench.held("a.settled", "b.submitted"), bench.held("a.settled", "b.open.begin")),
        expect=(bench.expect("count", of="job", equals=2),),
    )
    result = run_once(cell, keep_trace=True)
    assert times(result, "action.submitted") == {"a": 0.0, "b": 5.0}
    assert result.verdict is Verdict.PASS


@pytest.mark.parametrize("then", ["b.submitted", "b.work.begin"])
def test_an_order_that_cannot_be_is_unknown_and_says_who_is_held(
    bench: SimpleNamespace, then: str
) -> None:
    cell = bench.cell(
        bench.job("a", "0s"),
        bench.job("b", "0s"),
        order=(bench.held("b.settled", then, line=31),),
        expect=(bench.expect("conservation", of=("job",)),),
    )
    result = run_once(cell)
    assert result.verdict is Verdict.UNKNOWN
    assert result.reason.startswith(
        f"order not reachable: `{then}` (line 31) is held until `b.settled`, which has not "
        "happened; nothing is left to do at 3.0 s"
    )
    assert not result.reason.endswith(", and")


def test_two_that_wait_for_one_another_are_both_named(bench: SimpleNamespace) -> None:
    cell = bench.cell(
        bench.job("a", "0s"),
        bench.job("b", "0s"),
        order=(
            bench.held("b.work", "a.work.begin", line=31),
            bench.held("a.work", "b.work.begin", line=32),
        ),
        expect=(bench.expect("count", of="job", outcome="done", min=1),),
    )
    result = run_once(cell)
    assert result.verdict is Verdict.UNKNOWN
    assert "`a.work.begin` (line 31) is held until `b.work`" in result.reason
    assert "`b.work.begin` (line 32) is held until `a.work`" in result.reason


def test_a_watcher_that_goes_on_for_ever_leaves_it_to_the_limit(bench: SimpleNamespace) -> None:
    cell = bench.cell(
        bench.job("b", "0s"),
        background=bench.ns("5s"),
        order=(bench.held("b.settled", "b.work.begin"),),
        expect=(bench.expect("conservation", of=("job",)),),
        limits=Limits(sim=bench.ns("10min")),
    )
    result = run_once(cell)
    assert result.verdict is Verdict.UNKNOWN
    assert result.reason.startswith("order not reachable: `b.work.begin`")
    assert result.reason.endswith("the limit of 10min of simulated time was reached")


@pytest.mark.parametrize("then", ["b.submitted", "b.work.begin"])
def test_at_until_what_is_still_held_makes_it_unknown(bench: SimpleNamespace, then: str) -> None:
    cell = bench.cell(
        bench.job("a", "0s", tick=bench.ns("1min")),
        bench.job("b", "0s"),
        until=bench.ns("5s"),
        order=(bench.held("a.settled", then),),
        expect=(bench.expect("count", of="a", max=1),),
    )
    result = run_once(cell)
    assert result.verdict is Verdict.UNKNOWN
    assert f"`{then}` (line 30) is held until `a.settled`" in result.reason
    assert result.reason.endswith("operations were still open at `until`")


def test_at_until_what_has_failed_by_then_has_failed(bench: SimpleNamespace) -> None:
    cell = bench.cell(
        bench.job("a", "0s", repeat=2),
        bench.job("b", "0s"),
        until=bench.ns("5s"),
        order=(bench.held("b.settled", "b.work.begin"),),
        expect=(bench.expect("count", of="a", outcome="done", max=1),),
    )
    assert run_once(cell).verdict is Verdict.FAIL


def test_what_is_given_up_while_it_is_held_did_not_come_in_that_order(
    bench: SimpleNamespace,
) -> None:
    cell = bench.cell(
        bench.job("b", "0s", bound=bench.ns("30s")),
        order=(bench.held("b.settled", "b.work.begin"),),
        expect=(bench.expect("count", of="job", outcome="failed", equals=1),),
    )
    result = run_once(cell)
    assert result.verdict is Verdict.UNKNOWN
    assert result.reason == (
        "order not reachable: `b.work.begin` (line 30) was given up while it was held until "
        "`b.settled`"
    )
    cell = bench.cell(
        bench.job("a", "0s", tick=bench.ns("1min"), commands=("open",)),
        bench.job("b", "0s", bound=bench.ns("30s")),
        order=(bench.held("a.1.settled", "b.work.begin"),),
        expect=(bench.expect("count", of="b", outcome="failed", equals=1),),
    )
    result = run_once(cell)
    assert result.verdict is Verdict.UNKNOWN
    assert result.reason == (
        "order not reachable: `b.work.begin` (line 30) is held until `a.1.settled`, which has not "
        "happened"
    )


def test_the_end_of_the_run_lets_nothing_go(bench: SimpleNamespace) -> None:
    """Faults are undone at the end: that is no event that an order can wait for."""
    cell = bench.cell(
        bench.job("a", "0s"),
        bench.job("b", "0s"),
        faults=(bench.fault("f", "0s", by=1),),
        until=bench.ns("10s"),
        order=(bench.held("f.undone", "b.submitted"),),
        expect=(bench.expect("count", of="a", equals=1),),
    )
    result = run_once(cell, keep_trace=True)
    assert times(result, "fault.undone") == {"f": 10.0}
    assert set(times(result, "action.submitted")) == {"a"}
    assert (result.verdict, result.reason[:19]) == (Verdict.UNKNOWN, "order not reachable")


def test_a_pair_whose_second_never_comes_up_is_vacuous(bench: SimpleNamespace) -> None:
    cell = bench.cell(
        bench.job("a", "0s"),
        order=(bench.held("a.settled", "a.polish.begin", line=33),),
        expect=(bench.expect("count", of="job", equals=1),),
    )
    result = run_once(cell)
    assert result.verdict is Verdict.VACUOUS
    assert result.reason == "`a.polish.begin` of `order` (line 33) never came up"


def test_without_order_there_is_no_gate(
    bench: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    gates: list[object] = []
    build = bench.system.build

    def spy(system: Any, setup: Any) -> Any:
        gates.append(setup.gate)
        return build(system, setup)

    monkeypatch.setattr(bench.system, "build", spy)
    jobs, expected = bench.job("a", "0s"), (bench.expect("count", of="job", equals=1),)
    run_once(bench.cell(jobs, expect=expected))
    run_once(bench.cell(jobs, expect=expected, order=(bench.held("a.open", "a.work.begin"),)))
    assert [gate is None for gate in gates] == [True, False]


PAIR = st.tuples(
    st.sampled_from([("a", "b"), ("b", "c")]),
    st.sampled_from(["submitted", "open", "work", "close", "settled"]),
    st.sampled_from(["submitted", "open.begin", "work.begin", "close.begin"]),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(PAIR, max_size=4, unique=True),
    st.sampled_from(["fifo", "lifo", "seeded"]),
    st.integers(0, 50),
)
def test_under_every_tie_rule_the_pairs_hold(
    bench: SimpleNamespace, pairs: list[Any], order: Any, seed: int
) -> None:
    """Pairs that go one way through the jobs can always be reached."""
    held = tuple(
        bench.held(f"{one}.{first}", f"{other}.{then}") for (one, other), first, then in pairs
    )
    cell = bench.cell(
        *(bench.job(name, "0s") for name in "abc"),
        order=held,
        ties=Ties(order, seed),
        expect=(bench.expect("count", of="job", equals=3),),
    )
    result = run_once(cell, keep_trace=True)
    assert result.verdict is Verdict.PASS, result.reason
    for (one, other), first, then in pairs:
        assert place(result, one, first) < place(result, other, then)


def place(result: CellResult, op: str, what: str) -> int:
    """Return where in the trace a phase or a command (its end, or `.begin`) of a job stands."""
    kinds = {"submitted": "action.submitted", "settled": "action.settled"}
    command, _, begin = what.partition(".")
    wanted = kinds.get(what, "command.started" if begin else "command.ended")
    for number, line in enumerate(result.trace):
        event = json.loads(line)
        named = what in kinds or event.get("details", {}).get("command") == command
        if (event["kind"], event["op"]) == (wanted, op) and named:
            return number
    raise AssertionError(f"{op}.{what} did not happen")
