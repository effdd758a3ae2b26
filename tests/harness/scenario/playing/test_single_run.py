"""A single run: thresholds, what a world lacks, arrivals, and what is replayed."""

from __future__ import annotations

import json
import pickle
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from windtunnel.checks.base import Verdict
from windtunnel.cli.exit_codes import EXIT_NOTHING, exit_code
from windtunnel.errors import WorldUnavailableError
from windtunnel.scenario.cells import Case, Threshold
from windtunnel.scenario.playing import pulse
from windtunnel.scenario.playing.run_name import run_name
from windtunnel.scenario.playing.single_run import run_once
from windtunnel.scenario.playing.worker import lacked_its_world
from windtunnel.world import Ties, WorldOptions

SECOND = 1_000_000_000


def threshold(**fields: Any) -> Threshold:
    plain: dict[str, Any] = {
        "line": 50,
        "metric": "run",
        "of": ("job",),
        "where": {},
        "stat": "max",
        "min": None,
        "max": 3 * SECOND,
        "min_samples": 1,
    }
    return Threshold(**{**plain, **fields})


@pytest.mark.parametrize(
    ("fields", "verdict"),
    [
        ({}, Verdict.PASS),
        ({"max": 2 * SECOND, "because": "callers wait no longer"}, Verdict.FAIL),
        ({"min_samples": 4}, Verdict.VACUOUS),
        ({"of": ("nobody",)}, Verdict.VACUOUS),
    ],
)
def test_a_threshold_is_a_check_of_its_own_line(
    bench: SimpleNamespace, fields: dict[str, Any], verdict: Verdict
) -> None:
    cell = bench.cell(
        bench.job("a", "0s", repeat=3),
        thresholds=(threshold(**fields),),
        expect=(bench.expect("count", of="job", equals=3),),
    )
    result = run_once(cell)
    line = next(line for line in result.checks if line.name == "threshold")
    assert (result.verdict, line.verdict, line.line) == (verdict, verdict, 50)
    assert line.message.endswith(f"({fields['because']})" if "because" in fields else line.message)
    assert verdict is Verdict.PASS or result.reason.startswith("threshold: ")


def test_what_the_world_lacks_skips_the_cell_with_the_reason(bench: SimpleNamespace) -> None:
    cell = bench.cell(
        bench.job("a", "0s"),
        requires=("ties", "moon", "tide"),
        expect=(bench.expect("count", of="job", equals=99),),
    )
    result = run_once(cell)
    assert result.verdict is Verdict.SKIPPED
    assert result.reason == "the world probe has no moon, no tide"
    assert not lacked_its_world(result)
    assert exit_code([result.verdict]) == EXIT_NOTHING


def test_what_the_world_has_is_no_reason_to_skip(bench: SimpleNamespace) -> None:
    cell = bench.cell(
        bench.job("a", "0s"),
        requires=("ties",),
        expect=(bench.expect("count", of="job", equals=1),),
    )
    assert run_once(cell).verdict is Verdict.PASS


@pytest.mark.parametrize(("at", "first"), [({"at": "2s"}, 2), ({"after": "bell.settled"}, 5)])
def test_arrivals_are_played_at_their_offsets(
    bench: SimpleNamespace, at: dict[str, str], first: int
) -> None:
    offsets = (0, SECOND, SECOND, 4 * SECOND)
    cell = bench.cell(
        bench.ring("bell", "5s"),
        bench.job("a", repeat=4, offsets=offsets, **at),
        expect=(bench.expect("count", of="job", equals=4),),
    )
    result = run_once(cell, keep_trace=True)
    events = map(json.loads, result.trace)
    submitted = [(e["t"], e["op"]) for e in events if e["kind"] == "action.submitted"]
    assert submitted == [(first * SECOND + offset, f"a.{n}") for n, offset in enumerate(offsets)]


def test_a_result_can_be_sent_to_another_process(bench: SimpleNamespace) -> None:
    cell = bench.cell(
        bench.job("a", "0s"),
        faults=(bench.fault("f", "0s", by=SECOND),),
        ties=Ties("seeded", 3),
        expect=(bench.expect("count", of="job", equals=2),),
    )
    result = run_once(cell, keep_trace=True)
    assert pickle.loads(pickle.dumps(result)) == result  # noqa: S301 - our own
    assert result.tie_seed == 3


JOB = st.fixed_dictionaries(
    {
        "at": st.sampled_from(["0s", "1s", "2s"]),
        "tick": st.sampled_from([0, SECOND]),
        "polls": st.integers(0, 2),
    }
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(
    st.lists(JOB, min_size=2, max_size=5),
    st.sampled_from(["lifo", "seeded"]),
    st.integers(0, 1000),
)
def test_the_choices_of_a_run_replay_it(
    bench: SimpleNamespace, worlds: list[Any], jobs: list[Any], order: Any, seed: int
) -> None:
    def played(ties: Ties) -> Any:
        timeline = (bench.job(f"j{number}", **fields) for number, fields in enumerate(jobs))
        cell = bench.cell(
            *timeline,
            faults=(bench.fault("f", "1s", by=SECOND, lasts="1s", takes=0),),
            ties=ties,
            expect=(bench.expect("count", of="job", equals=len(jobs)),),
        )
        return run_once(cell).digest, worlds.pop().choices

    digest, choices = played(Ties(order, seed))
    assert played(Ties(order, seed)) == (digest, choices)
    assert played(Ties("fifo", 0, choices))[0] == digest
    assert played(Ties(order, seed, choices[: len(choices) // 2]))[0] == digest


def test_another_order_of_ties_is_another_run(bench: SimpleNamespace) -> None:
    digests = {
        run_once(
            bench.cell(bench.job("a", "0s"), bench.job("b", "0s"), ties=Ties("seeded", seed))
        ).digest
        for seed in range(10)
    }
    assert len(digests) > 3


def test_zeros_are_the_order_without_a_rule(bench: SimpleNamespace) -> None:
    jobs = (bench.job("a", "0s", polls=2), bench.job("b", "0s"), bench.job("c", "1s"))
    plain = run_once(bench.cell(*jobs))
    assert run_once(bench.cell(*jobs, ties=Ties("fifo", 0, (0,) * 5))).digest == plain.digest


def test_what_was_observed_of_the_row_s_outputs_is_told(bench: SimpleNamespace) -> None:
    cell = bench.cell(bench.job("a", "0s"), case=Case({"n": 1}, {"done": 2, "unseen": 5}))
    result = run_once(cell)
    assert result.observed == {"done": 1}
    expected = {"inputs": {"n": 1}, "outputs": {"done": 2, "unseen": 5}, "observed": {"done": 1}}
    assert result.as_json()["case"] == expected
    assert run_once(bench.cell(bench.job("a", "0s"))).as_json()["case"] is None


@pytest.mark.parametrize(
    ("fields", "verdict", "failed"),
    [
        ({"equals": 1}, Verdict.PASS, False),
        ({"equals": 2}, Verdict.FAIL, True),
        ({"equals": 1, "requires": ("moon",)}, Verdict.SKIPPED, False),
        ({"equals": 1, "refuses": "at the call"}, Verdict.ERROR, True),
    ],
)
def test_the_world_keeps_what_it_has_once_the_run_is_judged(
    bench: SimpleNamespace,
    worlds: list[Any],
    fields: dict[str, Any],
    verdict: Verdict,
    failed: bool,
) -> None:
    faults = (bench.fault("f", "0s", refuses=fields["refuses"]),) if "refuses" in fields else ()
    cell = bench.cell(
        bench.job("a", "0s"),
        faults=faults,
        requires=fields.get("requires", ()),
        expect=(bench.expect("count", of="job", equals=fields["equals"]),),
    )
    result = run_once(cell, number=4)
    (world,) = worlds
    assert (result.verdict, world.kept) == (verdict, [(run_name(cell, 4), failed)])
    assert result.kept == (f"frames/{run_name(cell, 4)}" if failed else "")
    assert result.as_json()["kept"] == result.kept


def test_a_world_is_made_with_the_options(bench: SimpleNamespace, worlds: list[Any]) -> None:
    options = WorldOptions(display=":7", driver="xdotool", frames="all")
    run_once(bench.cell(bench.job("a", "0s")), options=options)
    run_once(bench.cell(bench.job("a", "0s")))
    assert [world.spec.options for world in worlds] == [options, WorldOptions()]


@pytest.mark.parametrize(
    ("equals", "reason"),
    [
        (1, "frames not kept: there: No space left on device"),
        (
            2,
            "count: 1 of job, expected 2 (frames not kept: there: No space left on device)",
        ),
    ],
)
def test_a_full_disk_costs_the_frames_and_not_the_verdict(
    bench: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, equals: int, reason: str
) -> None:
    def full(*_: object, **__: object) -> str:
        raise OSError(28, "No space left on device", "there")

    monkeypatch.setattr(bench.world, "keep", full)
    expected = (bench.expect("count", of="job", equals=equals),)
    result = run_once(bench.cell(bench.job("a", "0s"), expect=expected))
    assert result.verdict is (Verdict.PASS if equals == 1 else Verdict.FAIL)
    assert (result.reason, result.kept) == (reason, "")


@pytest.mark.parametrize(
    ("error", "failed", "notes"),
    [
        (RuntimeError("a fault in the tool"), True, True),
        (WorldUnavailableError("no display"), True, True),
        (KeyboardInterrupt(), False, False),
    ],
)
def test_a_run_that_breaks_off_keeps_what_says_why(
    bench: SimpleNamespace,
    worlds: list[Any],
    monkeypatch: pytest.MonkeyPatch,
    error: BaseException,
    failed: bool,
    notes: bool,
) -> None:
    def broken(*_: object) -> None:
        raise error

    monkeypatch.setattr(bench.world, "run", broken)
    cell = bench.cell(bench.job("a", "0s"))
    with pytest.raises(type(error)) as caught:
        run_once(cell)
    (world,) = worlds
    assert world.kept == [(run_name(cell), failed)]
    told = [f"frames: frames/{run_name(cell)}"] if notes else []
    assert getattr(caught.value, "__notes__", []) == told


def test_an_error_is_told_though_nothing_can_be_kept_of_it(
    bench: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(bench.world, "run", lambda *_: 1 / 0)
    monkeypatch.setattr(bench.world, "keep", broken)
    with pytest.raises(ZeroDivisionError) as caught:
        run_once(bench.cell(bench.job("a", "0s")))
    assert caught.value.__notes__ == ["frames: not kept: [Errno 28] No space left on device"]


def test_what_a_world_does_before_and_after_has_its_own_time(
    bench: SimpleNamespace, worlds: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[str] = []
    monkeypatch.setattr(pulse, "_listeners", [lambda: seen.append("beat")])

    class Slow(bench.world):  # type: ignore[misc, name-defined]
        def run(self, main: Any) -> Any:
            seen.append("made ready")
            end = super().run(main)
            seen.append("taken down")
            return end

        def keep(self, name: str, *, failed: bool) -> str:
            seen.append("kept")
            return ""

    monkeypatch.setattr("bench_of_the_tests.ProbeWorld", Slow, raising=True)
    run_once(bench.cell(bench.job("a", "0s")))
    assert seen == ["made ready", "beat", "beat", "taken down", "beat", "kept"]
