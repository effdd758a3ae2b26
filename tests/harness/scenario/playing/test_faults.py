"""Faults in a run: brought about when the file says, over in time, undone at the end, verified."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from windtunnel.checks.base import Verdict
from windtunnel.scenario.playing.single_run import run_once
from windtunnel.scenario.results import CellResult, FaultLine
from windtunnel.world import Limits, Ties

SECOND = 1_000_000_000
TIES = [Ties(), Ties("lifo"), *(Ties("seeded", seed) for seed in range(12))]


def story(result: CellResult) -> list[tuple[float, str, str]]:
    """Return (seconds, kind without its group, operation) of what was submitted, and of faults."""
    events = map(json.loads, result.trace)
    return [
        (event["t"] / SECOND, event["kind"].partition(".")[2], event["op"])
        for event in events
        if event["kind"].startswith("fault.") or event["kind"] == "action.submitted"
    ]


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("args", [{}, {"takes": 0}])
def test_at_one_instant_faults_come_first_under_every_tie_rule(
    bench: SimpleNamespace, ties: Ties, args: dict[str, Any]
) -> None:
    cell = bench.cell(
        bench.job("early", "0s"),
        bench.job("a", "2s"),
        bench.job("b", "2s", repeat=2),
        bench.job("c", after="early.work", plus="0s"),
        faults=(
            bench.fault("one", "2s", by=SECOND, lasts="3s", **args),
            bench.fault("two", "2s", do="blink", **args),
            bench.fault("three", after="early.open", plus="1s", do="blink", **args),
        ),
        ties=ties,
        expect=(bench.expect("count", of="job", equals=5),),
    )
    result = run_once(cell, keep_trace=True)
    assert result.verdict is Verdict.PASS, result.reason
    at_two = [(kind, op) for at, kind, op in story(result) if at == 2]
    begun = [op for kind, op in at_two if kind == "injected"]
    submitted = [op for kind, op in at_two if kind == "submitted"]
    assert begun == ["one", "two", "three"]
    assert submitted[:3] == ["a", "b.0", "b.1"]
    assert at_two.index(("submitted", "a")) > at_two.index(("injected", "three"))


def test_a_fault_that_ends_ends_before_the_next_begins(bench: SimpleNamespace) -> None:
    cell = bench.cell(
        bench.job("a", "0s"),
        bench.job("b", "2s"),
        faults=(
            bench.fault("next", "2s", do="blink"),
            bench.fault("one", "0s", by=SECOND // 2, lasts="2s"),
        ),
        expect=(bench.expect("count", of="job", equals=2),),
    )
    result = run_once(cell, keep_trace=True)
    at_two = [(kind, op) for at, kind, op in story(result) if at == 2]
    assert at_two[0] == ("undone", "one")
    assert at_two[1:] == [("injected", "next"), ("affected", "next"), ("submitted", "b")]


def test_a_fault_after_an_event_comes_plus_later_and_lasts(bench: SimpleNamespace) -> None:
    cell = bench.cell(
        bench.job("a", "0s"),
        faults=(bench.fault("f", after="a.open", plus="1500ms", by=SECOND, lasts="500ms"),),
        expect=(bench.expect("count", of="job", equals=1),),
    )
    result = run_once(cell, keep_trace=True)
    assert [(at, kind) for at, kind, op in story(result) if op == "f"] == [
        (2.5, "injected"),
        (3.0, "undone"),
    ]
    assert result.verdict is Verdict.VACUOUS
    assert result.reason == "fault `f` (line 20) affected nothing"


def test_a_timed_fault_keeps_the_run_open_until_it_is_over(bench: SimpleNamespace) -> None:
    def sim_seconds(lasts: str | None) -> float:
        cell = bench.cell(
            bench.job("a", "0s"),
            faults=(bench.fault("f", "1s", do="blink", lasts=lasts),),
            settle=SECOND,
            expect=(bench.expect("count", of="job", equals=1),),
        )
        result = run_once(cell)
        assert result.verdict is Verdict.PASS, result.reason
        return float(result.metrics["sim_seconds"])

    assert sim_seconds("20s") == 22
    assert sim_seconds(None) == 4


def test_a_fault_at_a_late_instant_keeps_the_run_open(bench: SimpleNamespace) -> None:
    cell = bench.cell(
        bench.job("a", "0s"),
        faults=(bench.fault("f", "60s", do="blink"),),
        expect=(bench.expect("count", of="job", equals=1),),
    )
    assert run_once(cell).metrics["sim_seconds"] == 60


def test_what_is_still_on_at_the_end_is_undone_last_first(
    bench: SimpleNamespace, worlds: list[Any]
) -> None:
    cell = bench.cell(
        bench.job("a", "0s"),
        faults=(bench.fault("f", "0s", by=SECOND), bench.fault("g", "1s", do="blink")),
        expect=(bench.expect("count", of="job", equals=1),),
    )
    result = run_once(cell, keep_trace=True)
    assert result.verdict is Verdict.PASS, result.reason
    assert (worlds[0].undone, worlds[0].on) == (["g", "f"], {})
    undone = [(at, op) for at, kind, op in story(result) if kind == "undone"]
    assert undone == [(6.0, "g"), (6.0, "f")]
    assert result.faults == (
        FaultLine("f", "slow", 20, 0, 0, 6 * SECOND),
        FaultLine("g", "blink", 20, SECOND, SECOND, 6 * SECOND),
    )


@pytest.mark.parametrize(
    "fields",
    [
        {"until": 2 * SECOND},
        {"limits": Limits(events=12)},
        {"limits": Limits(sim=2 * SECOND)},
    ],
)
def test_however_the_run_ends_its_faults_are_undone(
    bench: SimpleNamespace, worlds: list[Any], fields: dict[str, Any]
) -> None:
    cell = bench.cell(
        bench.job("a", "0s", repeat=5),
        faults=(bench.fault("f", "0s", by=SECOND, lasts="1h"),),
        expect=(bench.expect("count", of="job", max=5),),
        **fields,
    )
    result = run_once(cell)
    assert (worlds[0].undone, worlds[0].on) == (["f"], {})
    assert result.verdict is (Verdict.PASS if "until" in fields else Verdict.UNKNOWN)


def test_after_a_deadlock_too(bench: SimpleNamespace, worlds: list[Any]) -> None:
    cell = bench.cell(
        bench.job("a", "0s"),
        faults=(bench.fault("f", "0s", by=SECOND),),
        order=(bench.held("a.settled", "a.work.begin"),),
        expect=(bench.expect("count", of="job", max=5),),
    )
    assert run_once(cell).verdict is Verdict.UNKNOWN
    assert worlds[0].undone == ["f"]


@pytest.mark.parametrize("how", ["at the call", "later"])
@pytest.mark.parametrize("lasts", [None, "1s"])
def test_a_fault_that_cannot_be_brought_about_is_an_error_of_its_line(
    bench: SimpleNamespace, how: str, lasts: str | None, worlds: list[Any]
) -> None:
    cell = bench.cell(
        bench.job("a", "0s"),
        faults=(
            bench.fault("well", "0s", by=SECOND),
            bench.fault("f", "1s", line=12, refuses=how, lasts=lasts),
        ),
        expect=(bench.expect("count", of="job", equals=99),),
    )
    result = run_once(cell)
    why = "there is nothing to slow down" if how == "at the call" else "it has no effect here"
    assert (result.verdict, result.reason) == (Verdict.ERROR, f"fault `f` (line 12): {why}")
    assert result.mistake
    assert worlds[0].undone == ["well"]


@pytest.mark.parametrize("lasts", [None, "1s"])
def test_a_fault_that_stays_on_is_an_error_of_its_line(
    bench: SimpleNamespace, lasts: str | None, worlds: list[Any]
) -> None:
    cell = bench.cell(
        bench.job("a", "0s"),
        faults=(
            bench.fault("well", "0s", by=SECOND),
            bench.fault("f", "0s", line=12, by=SECOND, stays=True, lasts=lasts),
        ),
        expect=(bench.expect("count", of="job", equals=1),),
    )
    result = run_once(cell)
    expected = "fault `f` (line 12): could not be undone: it is still slow"
    assert (result.verdict, result.reason, result.mistake) == (Verdict.ERROR, expected, False)
    assert worlds[0].undone == ["well"]


@pytest.mark.parametrize("end", ["5s", "1h"])
def test_a_fault_that_is_leaving_at_the_end_is_waited_for(
    bench: SimpleNamespace, worlds: list[Any], end: str
) -> None:
    def played(**fields: Any) -> CellResult:
        cell = bench.cell(
            bench.job("a", "0s"),
            faults=(
                bench.fault("f", "0s", by=1, leaves=10 * SECOND, lasts="2s", line=12, **fields),
            ),
            until=bench.ns(end),
            expect=(bench.expect("count", of="job", equals=1),),
        )
        return run_once(cell)

    assert played().verdict is Verdict.PASS
    assert worlds[0].undone == ["f"]
    expected = "fault `f` (line 12): could not be undone: it is still slow"
    failed = played(**{"at last": True})
    assert (failed.verdict, failed.reason) == (Verdict.ERROR, expected)


def test_a_world_with_a_slip_is_told_as_such(
    bench: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slip(self: object, fault: object) -> None:
        raise KeyError("a slip")

    monkeypatch.setattr(bench.world, "inject", slip)
    cell = bench.cell(bench.job("a", "0s"), faults=(bench.fault("f", "0s"),))
    with pytest.raises(KeyError, match="a slip"):
        run_once(cell)


def test_a_world_with_a_group_of_slips_ends_the_run_at_once(
    bench: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slip(self: object, fault: object) -> None:
        raise BaseExceptionGroup("while it was closed", [GeneratorExit()])

    monkeypatch.setattr(bench.world, "inject", slip)
    cell = bench.cell(bench.job("a", "2s"), faults=(bench.fault("f", "0s"),))
    result = run_once(cell)
    assert result.verdict is Verdict.ERROR
    assert "fault `f`" in result.reason
    assert "while it was closed" in result.reason
    assert result.metrics["sim_seconds"] == 0


def test_a_fault_that_takes_its_time_lasts_from_when_it_is_on(bench: SimpleNamespace) -> None:
    cell = bench.cell(
        bench.job("a", "1s"),
        bench.job("b", "2s"),
        faults=(bench.fault("f", "1s", by=SECOND, takes=3 * SECOND, lasts="2s"),),
        expect=(bench.expect("count", of="job", equals=2),),
    )
    result = run_once(cell, keep_trace=True)
    assert story(result)[:4] == [
        (4.0, "injected", "f"),
        (4.0, "submitted", "a"),
        (4.0, "submitted", "b"),
        (4.0, "affected", "f"),
    ]
    assert (6.0, "undone", "f") in story(result)


def test_a_fault_that_is_coming_up_at_the_end_is_given_up(
    bench: SimpleNamespace, worlds: list[Any]
) -> None:
    cell = bench.cell(
        bench.job("a", "0s"),
        faults=(bench.fault("f", "1s", by=SECOND, takes=30 * SECOND),),
        until=2 * SECOND,
        expect=(bench.expect("count", of="job", max=1),),
    )
    result = run_once(cell)
    assert (result.verdict, worlds[0].on) == (Verdict.VACUOUS, {})
    assert result.reason == "fault `f` (line 20) was never brought about"


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"at": "1s"}, "fault `f` (line 20) affected nothing"),
        (
            {"after": "kind:process.killed"},
            "`after: kind:process.killed` of fault `f` (line 20) never happened",
        ),
        ({"at": "1h"}, "fault `f` (line 20) was never brought about"),
    ],
)
def test_a_fault_without_effect_is_vacuous_and_named(
    bench: SimpleNamespace, fields: dict[str, Any], reason: str
) -> None:
    cell = bench.cell(
        bench.job("a", "0s"),
        faults=(bench.fault("f", do="idle", **fields), bench.fault("g", "0s", do="blink")),
        until=10 * SECOND,
        expect=(bench.expect("count", of="job", equals=1),),
    )
    result = run_once(cell)
    assert (result.verdict, result.reason) == (Verdict.VACUOUS, reason)


def test_the_end_of_a_fault_at_the_end_of_the_run_starts_nothing(bench: SimpleNamespace) -> None:
    cell = bench.cell(
        bench.job("a", "0s"),
        bench.job("b", after="f.undone", line=9),
        faults=(bench.fault("f", "0s", by=SECOND),),
        expect=(bench.expect("count", of="a", equals=1),),
    )
    result = run_once(cell, keep_trace=True)
    assert ("submitted", "b") not in [(kind, op) for _, kind, op in story(result)]
    assert (result.verdict, result.reason) == (
        Verdict.VACUOUS,
        "`after: f.undone` (line 9) never happened",
    )


def test_a_fault_may_follow_a_fault(bench: SimpleNamespace) -> None:
    cell = bench.cell(
        bench.job("a", "0s"),
        faults=(
            bench.fault("f", "0s", by=SECOND, lasts="1s"),
            bench.fault("g", after="f.undone", plus="1s", do="blink"),
        ),
        expect=(bench.expect("count", of="a", equals=1),),
    )
    result = run_once(cell, keep_trace=True)
    assert result.verdict is Verdict.PASS, result.reason
    assert (2.0, "injected", "g") in story(result)
