"""One worker, seen from its parent; what whole runs show is in the pool's tests."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from multiprocessing.connection import wait

import pytest

from windtunnel.checks.base import Verdict
from windtunnel.errors import PluginError, WorldError, WorldUnavailableError
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.playing.worker import Worker, lacked_its_world
from windtunnel.scenario.results import CellResult

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the fakes reach the workers by fork"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning"),
]

Start = Callable[[Callable[[Cell], CellResult]], Worker]


def passed(cell: Cell) -> CellResult:
    return CellResult.of(cell, Verdict.PASS)


@pytest.fixture
def start(make_cell: Callable[..., Cell]) -> Iterator[Start]:
    """Give a function that starts a worker on a first cell; all are ended."""
    workers = []

    def begin(play: Callable[[Cell], CellResult]) -> Worker:
        cells = [make_cell(), make_cell(scenario="second")]
        worker = Worker(multiprocessing.get_context("fork"), cells, play)
        workers.append(worker)
        worker.start(0)
        return worker

    yield begin
    for worker in workers:
        worker.end()


def outcome(worker: Worker) -> CellResult | None:
    """Wait until the worker answers or is gone."""
    until = time.monotonic() + 20
    while time.monotonic() < until:
        wait([worker.connection, worker.output, worker.sentinel], 0.5)
        result = worker.poll()
        if result is not None or worker.dead:
            return result
    raise AssertionError("the worker neither answers nor dies")


def test_it_plays_one_cell_after_the_other(start: Start) -> None:
    worker = start(passed)
    first = outcome(worker)
    assert worker.index is None
    worker.start(1)
    second = outcome(worker)
    assert first is not None
    assert second is not None
    assert (first.scenario, second.scenario) == ("probe", "second")


@pytest.mark.parametrize(
    ("error", "verdict", "reason"),
    [
        (WorldUnavailableError("no display"), Verdict.SKIPPED, "no display"),
        (PluginError("no such class"), Verdict.ERROR, "no such class"),
        (WorldError("the display is gone"), Verdict.ERROR, "the display is gone"),
        (KeyError("x"), Verdict.ERROR, "internal error: KeyError: 'x'; please report it"),
    ],
)
def test_what_playing_raises_is_a_result(
    start: Start, error: Exception, verdict: Verdict, reason: str
) -> None:
    def raising(cell: Cell) -> CellResult:
        raise error

    result = outcome(start(raising))
    assert result is not None
    assert (result.verdict, result.reason) == (verdict, reason)
    assert lacked_its_world(result) is (verdict is Verdict.SKIPPED)
    assert result.environment is isinstance(error, WorldError)


def test_where_the_frames_of_a_world_that_died_are_is_told(start: Start) -> None:
    def raising(cell: Cell) -> CellResult:
        error = WorldError("the display is gone")
        error.add_note("frames: kept/here")
        raise error

    result = outcome(start(raising))
    assert result is not None
    assert result.reason == "the display is gone; frames: kept/here"


def test_a_result_that_cannot_be_sent_is_an_error(start: Start) -> None:
    def unsendable(cell: Cell) -> CellResult:
        return CellResult(
            "s", "f", 1, "s", {}, "sim", "p", None, 0, Verdict.PASS, metrics={"x": id_}
        )

    def id_() -> None: ...

    result = outcome(start(unsendable))
    assert result is not None
    assert result.verdict is Verdict.ERROR


def test_a_large_result_comes_through(start: Start) -> None:
    def large(cell: Cell) -> CellResult:
        return CellResult.of(cell, Verdict.FAIL, "x" * 5_000_000)

    result = outcome(start(large))
    assert result is not None
    assert len(result.reason) == 5_000_000


def test_its_streams_are_its_own(start: Start) -> None:
    def looking(cell: Cell) -> CellResult:
        print("é\udcff")  # noqa: T201 - that is what is tested
        return CellResult.of(
            cell, Verdict.FAIL, f"{sys.stdin.read()!r} {os.getsid(0) == os.getpid()}"
        )

    worker = start(looking)
    result = outcome(worker)
    assert result is not None
    assert result.reason == "'' True"
    assert worker.printed() == "é\\udcff\n"


def test_threads_left_behind_do_not_hold_it(start: Start) -> None:
    def leaving(cell: Cell) -> CellResult:
        threading.Thread(target=time.sleep, args=(60,)).start()
        return passed(cell)

    worker = start(leaving)
    assert outcome(worker) is not None
    assert worker.end().startswith("signal 9")
