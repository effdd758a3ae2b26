"""The table of metrics, and the judging of thresholds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks import CheckResult, Context, Verdict
from windtunnel.checks.metrics import METRICS, Bounds, bound_unit, judge_threshold
from windtunnel.checks.statistic import STATISTICS
from windtunnel.scenario.cells import Threshold
from windtunnel.units import MS, SECOND
from windtunnel.world import EndReason, RunEnd

Story = Any  # the class in conftest.py, which cannot be imported


@dataclass(frozen=True)
class Asked:
    """What a threshold says; bounds in ms for durations."""

    metric: str = "wait"
    of: tuple[str, ...] = ()
    where: dict[str, str] = field(default_factory=dict)
    stat: str = "max"
    min: float | None = None
    max: float | None = None
    min_samples: int = 1


def judged(story: Story, reason: EndReason = "finished", **said: Any) -> CheckResult:
    asked = Asked(**said)
    return judge_threshold(asked, story.trace, Context(RunEnd(reason)))


@pytest.fixture
def waits(story: Story) -> Story:
    """Operations that waited 1, 2, 3 and 10 ms, and are over."""
    for number, wait in enumerate((1, 2, 3, 10)):
        op = f"a.{number}"
        story.at(100 * number).submit(op).at(100 * number + wait).start(op).close(op)
    return story


def test_a_threshold_of_a_cell_is_judged(waits: Story) -> None:
    threshold: Bounds = Threshold(1, "wait", (), {}, "max", None, 10 * MS, 4)
    assert judge_threshold(threshold, waits.trace, Context()).verdict is Verdict.PASS


@pytest.mark.parametrize(
    ("stat", "figure"),
    [
        *(("min", 1), ("max", 10), ("mean", 4), ("sum", 16), ("p50", 2), ("p90", 10)),
        *(("p95", 10), ("p99", 10)),
    ],
)
def test_a_statistic_within_bounds_passes(waits: Story, stat: str, figure: int) -> None:
    exact = judged(waits, stat=stat, min=figure * MS, max=figure * MS)
    assert (exact.verdict, exact.measured) == (Verdict.PASS, figure * MS / SECOND)
    assert judged(waits, stat=stat, max=figure * MS - 1).verdict is Verdict.FAIL
    assert judged(waits, stat=stat, min=figure * MS + 1).verdict is Verdict.FAIL


def test_a_number_of_samples_has_no_unit(waits: Story) -> None:
    result = judged(waits, stat="count", min=4, max=4)
    assert (result.verdict, result.measured) == (Verdict.PASS, 4)
    assert judged(waits, stat="count", max=3).verdict is Verdict.FAIL
    assert (bound_unit("wait", "count"), bound_unit("wait", "p90")) == ("count", "duration")
    assert bound_unit("throughput", "max") == "per_second"
    with pytest.raises(KeyError):
        bound_unit("speed", "max")


def test_a_failure_says_the_figure_and_shows_the_sample(waits: Story) -> None:
    result = judged(waits, of=("send_text",), where={"outcome": "done"}, max=9 * MS, min=1)
    assert result.message == (
        "max wait of send_text (outcome done) is 10ms, allowed at least 1ns and at most 9ms; "
        "4 samples"
    )
    assert [(waits.trace[s].op, waits.trace[s].kind) for s in result.witness] == [
        ("a.3", "action.started"),
        ("a.3", "action.submitted"),
    ]


def test_an_unknown_figure_shows_what_still_waits(waits: Story) -> None:
    waits.at(400).submit("b").at(402).submit("c").at(405).observe()
    result = judged(waits, max=10 * MS)
    assert (result.verdict, result.measured) == (Verdict.UNKNOWN, 0.01)
    assert [waits.trace[seq].op for seq in result.witness] == ["b"]


def test_throughput_is_a_number_per_second(story: Story) -> None:
    story.submit("a").start("a").at(4000).close("a")
    result = judged(story, metric="throughput", min=0.25)
    assert (result.verdict, result.measured) == (Verdict.PASS, 0.25)
    assert "0.25/s, allowed at least 0.25/s" in result.message


def test_too_few_samples_are_vacuous_whatever_they_are(waits: Story) -> None:
    few: list[dict[str, Any]] = [{"min_samples": 5}, {"of": ("b",)}]
    few.append({"of": ("b",), "min_samples": 0})
    for said in few:
        assert judged(waits, **said, max=1).verdict is Verdict.VACUOUS
        assert judged(waits, **said, min=0).verdict is Verdict.VACUOUS
    assert "0 samples of max wait of b, 1 needed" in judged(waits, of=("b",), max=1).message


def test_where_chooses_samples(waits: Story) -> None:
    waits.submit("b").at(500).start("b").settle("b", "failed", code="TIMEOUT")
    waits.answer("b", "unknown", code="TIMEOUT")
    assert judged(waits, where={"outcome": "failed"}, stat="count", max=1).measured == 1
    assert judged(waits, where={"told": "done"}, stat="count", max=9).measured == 4
    assert judged(waits, where={"code": "TIMEOUT"}, stat="count", max=9).measured == 1
    both = {"told": "unknown", "outcome": "done"}
    assert judged(waits, where=both, max=9).verdict is Verdict.VACUOUS


def test_where_reads_numbers_and_truths_as_they_are_written(story: Story) -> None:
    story.receive("r").respond("r", "rejected", 503, code="STOPPED")
    said: dict[str, Any] = {"metric": "response", "stat": "count", "max": 1}
    assert judged(story, **said, where={"status": "503"}).measured == 1
    assert judged(story, **said, where={"status": "50"}).verdict is Verdict.VACUOUS
    story.record("drain.started", actor="w", details={"timeout": 1}).drain(drained=False, actor="w")
    assert judged(story, metric="drain", where={"drained": "false"}, max=9).verdict is Verdict.PASS


OPEN: list[tuple[dict[str, Any], EndReason, Verdict]] = [
    # Waited 1, 2, 3 and 10 ms, and one still waits after 20.
    ({"max": 19 * MS}, "finished", Verdict.FAIL),
    ({"max": 19 * MS}, "limit", Verdict.FAIL),
    ({"max": 20 * MS}, "finished", Verdict.UNKNOWN),
    ({"max": 20 * MS}, "until", Verdict.UNKNOWN),
    ({"max": 20 * MS}, "deadlock", Verdict.FAIL),
    ({"min": 20 * MS}, "finished", Verdict.PASS),
    ({"min": 21 * MS}, "finished", Verdict.UNKNOWN),
    ({"stat": "p50", "max": 3 * MS}, "finished", Verdict.PASS),  # however long it waits yet
    ({"stat": "p50", "max": 3 * MS}, "deadlock", Verdict.PASS),
    ({"stat": "p50", "max": 3 * MS}, "limit", Verdict.UNKNOWN),
    ({"stat": "p90", "max": 1 * SECOND}, "finished", Verdict.UNKNOWN),
    ({"stat": "min", "min": 2 * MS}, "finished", Verdict.FAIL),
    ({"stat": "min", "min": 1 * MS}, "finished", Verdict.PASS),
    ({"stat": "mean", "max": 7 * MS}, "finished", Verdict.FAIL),
    ({"stat": "mean", "max": 8 * MS}, "finished", Verdict.UNKNOWN),
    ({"stat": "sum", "min": 36 * MS}, "finished", Verdict.PASS),
    ({"stat": "count", "max": 5}, "finished", Verdict.PASS),
    ({"min_samples": 5, "min": 1}, "finished", Verdict.PASS),
    ({"min_samples": 6, "min": 1}, "finished", Verdict.VACUOUS),
]


@pytest.mark.parametrize(("said", "reason", "verdict"), OPEN)
def test_what_still_waits_at_the_end_counts_with_its_time_so_far(
    waits: Story, said: dict[str, Any], reason: EndReason, verdict: Verdict
) -> None:
    waits.at(400).submit("b").at(420).observe()
    assert judged(waits, reason, **said).verdict is verdict


UNDECIDED: list[tuple[dict[str, Any], Verdict]] = [
    # Waited 1, 2, 3 and 10 ms and ended done; one that waited 5 still runs.
    ({"max": 10 * MS}, Verdict.UNKNOWN),
    ({"max": 9 * MS}, Verdict.FAIL),
    ({"stat": "mean", "max": 3 * MS}, Verdict.UNKNOWN),
    ({"stat": "min", "min": 2 * MS}, Verdict.FAIL),
    ({"stat": "min", "min": 1 * MS}, Verdict.UNKNOWN),
    ({"min": 11 * MS}, Verdict.UNKNOWN),
]


@pytest.mark.parametrize(("said", "verdict"), UNDECIDED)
def test_what_where_cannot_tell_yet_makes_a_pass_unknown(
    waits: Story, said: dict[str, Any], verdict: Verdict
) -> None:
    waits.at(400).submit("b").at(405).start("b").at(420).observe()
    result = judged(waits, where={"outcome": "done"}, **said)
    assert result.verdict is verdict
    assert result.message.endswith("4 samples, 1 still open")


def test_what_a_silent_scheduler_cannot_show_is_skipped(waits: Story) -> None:
    said: dict[str, Any] = {"metric": "pending", "max": 9}
    assert judged(waits, **said).verdict is Verdict.SKIPPED
    assert judged(waits, "limit", **said).verdict is Verdict.UNKNOWN
    waits.record("action.queued", op="a.0", details={"pending": 3})
    result = judged(waits, **said)
    assert (result.verdict, result.measured) == (Verdict.PASS, 3)


@pytest.mark.parametrize("name", METRICS)
def test_every_metric_tells_what_it_is_and_what_it_cannot_find(story: Story, name: str) -> None:
    metric = METRICS[name]
    assert metric.summary
    assert metric.samples.__doc__
    assert list(metric.samples(story.trace, ())) == []


@given(
    lengths=st.lists(st.integers(0, 9), min_size=1, max_size=12),
    still=st.lists(st.integers(0, 9), max_size=4),
    stat=st.sampled_from(sorted(STATISTICS)),
    bounds=st.tuples(st.none() | st.integers(0, 12), st.none() | st.integers(0, 12)),
)
def test_a_verdict_stands_however_long_the_open_ones_go_on(
    new_story: type[Story],
    lengths: list[int],
    still: list[int],
    stat: str,
    bounds: tuple[int | None, int | None],
) -> None:
    story, end = new_story(), 100
    starts = [(end - length, f"b.{n}", False) for n, length in enumerate(still)]
    starts += [(0, f"a.{n}", True) for n in range(len(lengths))]
    for begin, op, ends in sorted(starts):
        story.at(begin).submit(op)
        if ends:
            story.at(lengths[int(op[2:])]).start(op).at(0)
    story.at(end).observe()
    scale = 1 if stat == "count" else MS
    low, high = (None if b is None else b * scale for b in bounds)
    verdict = judged(story, stat=stat, min=low, max=high).verdict

    def fits(more: int) -> bool:
        figure = STATISTICS[stat]([*lengths, *(length + more for length in still)])
        return (bounds[0] is None or figure >= bounds[0]) and (
            bounds[1] is None or figure <= bounds[1]
        )

    futures = [fits(0), *(fits(more) for more in (1, 5, 10**6))]
    if verdict is Verdict.PASS:
        assert all(futures)
    elif verdict is Verdict.FAIL:
        assert not any(futures)
    else:
        assert verdict is Verdict.UNKNOWN
        assert still
        assert len({*futures}) == 2 or not futures[0]
