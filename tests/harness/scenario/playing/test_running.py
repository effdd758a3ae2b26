"""Running a cell: every way a run can end becomes a verdict, never an exception."""

from __future__ import annotations

import asyncio
import sys
import types
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from windtunnel.checks.base import Verdict
from windtunnel.scenario.cells import Cell, Repeats
from windtunnel.scenario.playing import running
from windtunnel.scenario.playing.running import run_cell
from windtunnel.scenario.results import CellResult
from windtunnel.world import WorldOptions

Play = Callable[..., tuple[CellResult, ...]]
Action = Callable[[], Awaitable[Any]]

ONE_SEND = """
given: {actions: {send_text: {duration: 1s}}}
timeline: [{at: 0s, submit: send_text, id: a}]
limits: {wall: 2s, sim: 1h, events: 5000}
expect: [{conservation: {of: [a]}}]
"""


class Plain:
    """Runs every action at once; right in itself."""

    async def execute(self, action: Action) -> Any:
        return await action()


class Loses(Plain):
    async def execute(self, action: Action) -> Any:
        await asyncio.get_running_loop().create_future()


class Polls(Plain):
    """Loses the action, and keeps time going for ever."""

    async def start(self) -> None:
        self.task = asyncio.create_task(self._poll())

    async def _poll(self) -> None:
        while True:  # noqa: ASYNC110 - the fault on purpose
            await asyncio.sleep(60)

    async def execute(self, action: Action) -> Any:
        await asyncio.get_running_loop().create_future()


class Spins(Plain):
    async def execute(self, action: Action) -> Any:
        while True:  # noqa: ASYNC110 - the fault on purpose
            await asyncio.sleep(0)


class Hangs(Plain):
    async def execute(self, action: Action) -> Any:
        while True:
            pass


class RunsTwice(Plain):
    async def execute(self, action: Action) -> Any:
        await action()
        return await action()


class FailsBehind(Plain):
    """Answers well and loses an exception in the background."""

    async def execute(self, action: Action) -> Any:
        self.task = asyncio.create_task(self._fail())
        return await action()

    async def _fail(self) -> None:
        raise RuntimeError("lost in the background")


class Threads(Plain):
    async def execute(self, action: Action) -> Any:
        return await asyncio.to_thread(lambda: None)


class HidesTheSocket(Plain):
    async def execute(self, action: Action) -> Any:
        try:
            await asyncio.open_connection("localhost", 80)
        except NotImplementedError:
            raise ConnectionError("no answer") from None


class RaisesAtTheCall(Plain):
    def execute(self, action: Action) -> Any:
        raise OverflowError("no room")


class ReturnsNothing(Plain):
    def execute(self, action: Action) -> Any:
        return 7


class Floods(Plain):
    async def execute(self, action: Action) -> Any:
        while True:
            await action()


class NeedsMore(Plain):
    def __init__(self, database: str) -> None:
        self.database = database


class Exits(Plain):
    async def execute(self, action: Action) -> Any:
        raise SystemExit(3)


class NoWayIn:
    pass


@pytest.fixture
def foreign() -> Iterator[Callable[[type], str]]:
    """Give a function that makes a class loadable by name and returns `module:Class`."""
    name = "foreign_for_tests"
    module = types.ModuleType(name)
    sys.modules[name] = module

    def publish(scheduler: type) -> str:
        setattr(module, scheduler.__name__, scheduler)
        return f"{name}:{scheduler.__name__}"

    yield publish
    del sys.modules[name]


@pytest.mark.parametrize(
    ("scheduler", "verdict", "reason"),
    [
        (Plain, Verdict.SKIPPED, "Plain lacks delay_ms"),
    ],
)
def test_what_a_scheduler_lacks_skips_the_cell(
    play: Play, foreign: Callable[[type], str], scheduler: type, verdict: Verdict, reason: str
) -> None:
    timed = ONE_SEND.replace("conservation: {of: [a]}", "answer: {of: [a], outcome: done, at: 1s}")
    (result,) = play(timed, scheduler=foreign(scheduler))
    assert (result.verdict, result.reason) == (verdict, reason)


@pytest.mark.parametrize(
    ("scheduler", "verdict", "reason"),
    [
        (Plain, Verdict.PASS, ""),
        (Loses, Verdict.FAIL, "deadlock"),
        (Polls, Verdict.UNKNOWN, "the limit of 1h of simulated time was reached"),
        (Spins, Verdict.FAIL, "BusySpin"),
        (Hangs, Verdict.UNKNOWN, "test_running.py"),
        (RunsTwice, Verdict.FAIL, "conservation"),
        (FailsBehind, Verdict.FAIL, "lost in the background"),
        (Threads, Verdict.FAIL, "Unsupported: loop.run_in_executor()"),
        (HidesTheSocket, Verdict.FAIL, "Unsupported: loop.create_connection()"),
        (Floods, Verdict.FAIL, "conservation"),
        (Exits, Verdict.FAIL, "SystemExit(3)"),
        (NeedsMore, Verdict.ERROR, "NeedsMore cannot be made with no arguments"),
        (NoWayIn, Verdict.ERROR, "neither `execute` nor `enqueue`"),
        (ReturnsNothing, Verdict.ERROR, "the scheduler returned int"),
    ],
)
def test_every_end_of_a_run_becomes_a_verdict(
    play: Play, foreign: Callable[[type], str], scheduler: type, verdict: Verdict, reason: str
) -> None:
    text = ONE_SEND if scheduler is Hangs else ONE_SEND.replace("wall: 2s", "wall: 1min")
    (result,) = play(text, scheduler=foreign(scheduler))
    said = " ".join((result.reason, *(check.message for check in result.checks)))
    assert result.verdict is verdict, said
    assert reason in said


def test_a_scheduler_that_raises_at_the_call_has_told_its_caller(
    play: Play, foreign: Callable[[type], str]
) -> None:
    (result,) = play(
        ONE_SEND.replace("conservation: {of: [a]}", "conservation: {of: [a], outcomes: [failed]}"),
        scheduler=foreign(RaisesAtTheCall),
    )
    assert result.verdict is Verdict.PASS, result.reason


def test_a_deadlock_ends_at_its_last_event_and_leaves_no_path_in_the_trace(
    play: Play, foreign: Callable[[type], str]
) -> None:
    (result,) = play(ONE_SEND, scheduler=foreign(Loses), keep_trace=True)
    assert result.metrics["sim_seconds"] == 0
    assert __file__ not in "".join(result.trace)
    assert "test_running.py" in result.reason


def test_what_an_asked_check_says_is_not_said_again_unasked(
    play: Play, foreign: Callable[[type], str]
) -> None:
    (result,) = play(ONE_SEND, scheduler=foreign(RunsTwice))
    failed = [check.name for check in result.checks if check.verdict is Verdict.FAIL]
    assert failed == ["conservation"]


def test_a_result_says_what_happened(play: Play) -> None:
    (result,) = play(ONE_SEND, keep_trace=True)
    assert len(result.digest) == 64
    assert result.events == len(result.trace)
    assert result.metrics["outcomes"] == {"done": 1}


def test_the_same_cell_has_the_same_digest(play: Play) -> None:
    assert play(ONE_SEND)[0].digest == play(ONE_SEND)[0].digest


def test_without_being_asked_no_trace_is_kept(play: Play) -> None:
    assert play(ONE_SEND)[0].trace == ()


@pytest.fixture
def verdicts(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Give a function that says what the runs of a cell come to, one after the other."""

    def come(words: str) -> None:
        results = iter(words.split())

        def play_orders(cell: Cell, *, number: int = 0, **_: object) -> CellResult:
            word = next(results)
            reason = "" if word == "pass" else f"it is {word}"
            return CellResult.of(cell, Verdict(word), reason, kept=f"run {number}: {word}")

        monkeypatch.setattr(running, "play_orders", play_orders)

    return come


@pytest.mark.parametrize(
    ("runs", "needed", "verdict", "reason"),
    [
        ("pass pass pass", 3, "pass", ""),
        ("fail pass pass", 2, "pass", "2 of 3 runs passed, 2 needed"),
        ("pass fail unknown", 2, "fail", "1 of 3 runs passed, 2 needed: it is fail"),
        ("pass unknown pass", 3, "unknown", "2 of 3 runs passed, 3 needed: it is unknown"),
        ("fail fail fail", 1, "fail", "0 of 3 runs passed, 1 needed: it is fail"),
    ],
)
def test_a_cell_that_is_repeated_passes_when_enough_runs_do(
    make_cell: Callable[..., Cell],
    verdicts: Callable[[str], None],
    runs: str,
    needed: int,
    verdict: str,
    reason: str,
) -> None:
    verdicts(runs)
    result = run_cell(make_cell(repeats=Repeats(3, needed)))
    assert (result.verdict, result.reason) == (verdict, reason)
    assert (result.runs, result.passed) == (3, runs.split().count("pass"))


@pytest.mark.parametrize(
    ("runs", "kept"),
    [
        ("pass pass pass", "run 0: pass"),
        ("pass fail unknown", "run 1: fail"),
        ("pass pass fail", "run 2: fail"),
    ],
)
def test_of_a_repeat_the_run_that_did_not_pass_is_shown(
    make_cell: Callable[..., Cell], verdicts: Callable[[str], None], runs: str, kept: str
) -> None:
    verdicts(runs)
    assert run_cell(make_cell(repeats=Repeats(3, 1))).kept == kept


def test_the_options_and_the_number_reach_each_run(
    make_cell: Callable[..., Cell], monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[tuple[WorldOptions, int]] = []

    def play_orders(
        cell: Cell, *, keep_trace: bool, options: WorldOptions, number: int = 0
    ) -> CellResult:
        seen.append((options, number))
        return CellResult.of(cell, Verdict.PASS)

    monkeypatch.setattr(running, "play_orders", play_orders)
    options = WorldOptions(display=":7")
    run_cell(make_cell(repeats=Repeats(3, 3)), options=options)
    run_cell(make_cell())
    assert seen == [(options, 0), (options, 1), (options, 2), (WorldOptions(), 0)]


def test_what_is_skipped_is_not_repeated(
    make_cell: Callable[..., Cell], verdicts: Callable[[str], None]
) -> None:
    verdicts("skipped")
    result = run_cell(make_cell(repeats=Repeats(3, 3)))
    assert (result.verdict, result.reason) == (Verdict.SKIPPED, "it is skipped")


@pytest.mark.parametrize(
    ("came_to", "verdict", "reason"),
    [
        ("fail", "pass", "open, fails still: it is fail"),
        ("pass", "fail", "open, but it passes"),
        ("unknown", "unknown", "it is unknown"),
        ("vacuous", "vacuous", "it is vacuous"),
        ("error", "error", "it is error"),
        ("skipped", "skipped", "it is skipped"),
    ],
)
def test_an_open_cell_must_fail(
    make_cell: Callable[..., Cell],
    verdicts: Callable[[str], None],
    came_to: str,
    verdict: str,
    reason: str,
) -> None:
    verdicts(f"{came_to} {came_to}")
    result = run_cell(make_cell(status="open"))
    assert result.verdict == verdict
    assert result.reason.startswith(reason)
    same = run_cell(make_cell(status="quarantined"))
    assert (same.verdict, same.gates) == (came_to, False)


def test_status_is_of_the_file(play: Play) -> None:
    held, broken = (
        play(
            f"""
status: open
given: {{actions: {{send_text: {{duration: 1s}}}}}}
timeline: [{{at: 0s, submit: send_text, id: a}}]
expect: [{{count: {{of: a, equals: {equals}}}}}]
"""
        )[0]
        for equals in (1, 2)
    )
    assert (held.verdict, broken.verdict) == (Verdict.FAIL, Verdict.PASS)
    assert broken.reason.startswith("open, fails still: count: ")
    assert [check.verdict for check in broken.checks][:1] == [Verdict.FAIL]
