"""A session: what is told, in which order, and what a failing output does to it."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from windtunnel.checks.base import Verdict
from windtunnel.cli.output_file import OutputError
from windtunnel.cli.real_options import RealOptions
from windtunnel.cli.session import Session
from windtunnel.cli.ties import TieOptions
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.results import CellResult
from windtunnel.scenario.selecting.files import bundled_root
from windtunnel.scenario.selecting.selection import Request

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")


class Keeping:
    """A sink that keeps what it gets, and fails when it is told to."""

    def __init__(self, fail_at: int | None = None) -> None:
        self.lines: list[Mapping[str, Any]] = []
        self.traces: list[tuple[str, ...]] = []
        self.ended: list[str] = []
        self.fail_at = fail_at

    def add(self, result: CellResult, line: Mapping[str, Any]) -> None:
        if len(self.lines) == self.fail_at:
            raise OutputError("the disk is full")
        self.lines.append(line)
        self.traces.append(result.trace)

    def commit(self) -> None:
        self.ended.append("committed")

    def discard(self) -> None:
        self.ended.append("discarded")


def play(cell: Cell) -> CellResult:
    if cell.variables.get("terminate"):
        os.kill(os.getppid(), signal.SIGTERM)
        signal.pause()
    verdict = cell.variables.get("verdict", Verdict.PASS)
    return replace(CellResult.of(cell, verdict), trace=("event",))


@pytest.fixture
def session(make_cell: Callable[..., Cell]) -> Callable[..., Session]:
    def make(*variables: dict[str, Any], sinks: list[Any]) -> Session:
        cells = [make_cell(axes={"n": n}, variables=one) for n, one in enumerate(variables)]
        return Session(cells, Request(seed=5), sinks)

    return make


def test_a_bundled_file_is_replayed_by_its_short_form(
    make_cell: Callable[..., Cell], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(bundled_root().parent)  # where the scenarios lie below the current folder
    file = f"{bundled_root().name}/ui/wait-timeout.yaml"
    sink = Keeping()
    Session([make_cell(file=file)], Request(seed=5), [sink]).play(
        lambda cell, **_: play(cell), jobs=1
    )
    (line,) = sink.lines
    assert line["replay"] == "windtunnel run ui/wait-timeout.yaml --seed 5"
    assert line["file"] == file  # by which result lines and a selection are matched


def test_the_options_of_a_real_world_are_in_the_replay_of_its_cells_alone(
    make_cell: Callable[..., Cell],
) -> None:
    sink = Keeping()
    cells = [make_cell(axes={"world": world}, world=world) for world in ("sim", "real")]
    real = RealOptions(driver="xdotool", frames="failed")
    one = Session(cells, Request(), [sink], TieOptions("lifo"), real)
    one.play(play, jobs=1)
    assert [line["replay"].partition(" --seed 0 ")[2] for line in sink.lines] == [
        "--ties lifo",
        "--ties lifo --driver xdotool",
    ]


def test_sinks_get_every_result_in_order_with_its_replay(session: Callable[..., Session]) -> None:
    sink = Keeping()
    one = session({}, {}, {}, sinks=[sink])
    one.play(play, jobs=2)
    one.finish()
    assert [line["name"] for line in sink.lines] == ["probe[n=0]", "probe[n=1]", "probe[n=2]"]
    assert sink.lines[1]["replay"] == "windtunnel run probe.yaml -k 'probe[n=1]' --seed 5"
    assert sink.traces == [("event",)] * 3
    assert sink.ended == ["committed"]
    assert [told.result.trace for told in one.told] == [()] * 3  # not kept in memory


def test_an_output_that_fails_is_left_and_the_run_goes_on(session: Callable[..., Session]) -> None:
    failing, other = Keeping(fail_at=1), Keeping()
    one = session({}, {}, {}, sinks=[failing, other])
    one.play(play, jobs=1)
    one.finish()
    assert [str(error) for error in one.errors] == ["the disk is full"]
    assert failing.ended == ["discarded"]
    assert len(other.lines) == len(one.told) == 3
    assert other.ended == ["committed"]


def test_a_request_to_terminate_is_an_interrupt(session: Callable[..., Session]) -> None:
    before = signal.getsignal(signal.SIGTERM)
    one = session({}, {"terminate": True}, {}, sinks=[])
    one.play(play, jobs=1)
    assert one.interrupted
    assert (len(one.told), one.not_run) == (1, 2)
    assert signal.getsignal(signal.SIGTERM) is before


def test_maxfail_counts_what_neither_passed_nor_was_skipped(
    session: Callable[..., Session],
) -> None:
    verdicts = (Verdict.SKIPPED, Verdict.FAIL, Verdict.UNKNOWN, Verdict.FAIL)
    one = session(*({"verdict": verdict} for verdict in verdicts), sinks=[])
    one.play(play, jobs=1, maxfail=2)
    assert (len(one.told), one.not_passed, one.not_run) == (3, 2, 1)
