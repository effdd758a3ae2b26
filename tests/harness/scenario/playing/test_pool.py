"""The pool: cells that hang, exit, crash, raise and print, and what becomes of the others."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel import units
from windtunnel.checks.base import Verdict
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.playing import pulse, worker
from windtunnel.scenario.playing.pool import (
    DISPLAYS_PER_CPU,
    Played,
    in_order,
    isolated,
    play_cells,
    simulated,
    usable_cpus,
    usual_jobs,
)
from windtunnel.scenario.results import CellResult
from windtunnel.world import Limits, WorldOptions

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="the fakes reach the workers by fork"),
    # A test runner's own threads, which the worker does not use.
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning"),
]

MakeCell = Callable[..., Cell]
SHORT = 50 * units.MS


def passed(cell: Cell) -> CellResult:
    return CellResult.of(cell, Verdict.PASS)


def behave(cell: Cell) -> CellResult:
    """Do what the cell's variables say."""
    ACTIONS[str(cell.variables["act"])]()
    return passed(cell)


def hang() -> None:
    while True:
        pass


def shout() -> None:
    sys.stdout.write("x" * 100_000 + "the end of stdout\n")
    os.write(1, b"past the stream\n")
    sys.stderr.write("to stderr\n")


def fail_loudly() -> None:
    shout()
    raise RuntimeError("a fault in the tool")


def crash() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def exit_with_child_alive() -> None:
    """Die while something started holds every pipe that was inherited."""
    if os.fork() == 0:
        time.sleep(60)
    os._exit(7)


def close_all() -> None:
    """Close what the worker answers through, and stay."""
    os.closerange(3, 1024)
    time.sleep(60)


def play_often() -> None:
    """Take longer than the wall limit and the grace allow for one run, alive all the time."""
    for _ in range(50):
        time.sleep(0.05)
        pulse.beat()


ACTIONS: dict[str, Callable[[], object]] = {
    "pass": lambda: None,
    "hang": hang,
    "shout": shout,
    "raise": fail_loudly,
    "leave": lambda: os._exit(3),
    "sys-exit": lambda: sys.exit(4),
    "crash": crash,
    "child-alive": exit_with_child_alive,
    "close-all": close_all,
    "often": play_often,
}


def play(cells: list[Cell], jobs: int = 2) -> list[Played]:
    return list(in_order(play_cells(cells, behave, jobs=jobs, grace=0.2)))


@pytest.fixture
def acting(make_cell: MakeCell) -> Callable[..., list[Cell]]:
    def cells(*acts: str) -> list[Cell]:
        return [
            make_cell(axes={"n": n}, variables={"act": act}, limits=Limits(wall=SHORT))
            for n, act in enumerate(acts)
        ]

    return cells


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_each_cell_has_its_own_result(acting: Callable[..., list[Cell]], jobs: int) -> None:
    cells = acting(*["pass"] * 20)
    played = play(cells, jobs)
    assert [one.index for one in played] == list(range(20))
    assert [one.result.name for one in played] == [cell.name for cell in cells]
    assert {one.result.verdict for one in played} == {Verdict.PASS}


@pytest.mark.parametrize(
    ("act", "verdict", "reason"),
    [
        ("hang", Verdict.UNKNOWN, "wall limit: worker killed"),
        ("leave", Verdict.ERROR, "worker died with exit code 3"),
        ("sys-exit", Verdict.ERROR, "worker died with exit code 4"),
        ("crash", Verdict.ERROR, "worker died with signal 11 (SIGSEGV)"),
        ("child-alive", Verdict.ERROR, "worker died with exit code 7"),
        ("close-all", Verdict.ERROR, "worker died with signal 9 (SIGKILL)"),
        (
            "raise",
            Verdict.ERROR,
            "internal error: RuntimeError: a fault in the tool; please report it",
        ),
    ],
)
def test_one_bad_cell_leaves_the_others(
    acting: Callable[..., list[Cell]], act: str, verdict: Verdict, reason: str
) -> None:
    played = play(acting("pass", act, "pass", "pass"))
    assert [one.result.verdict for one in played] == [
        Verdict.PASS,
        verdict,
        Verdict.PASS,
        Verdict.PASS,
    ]
    assert played[1].result.reason == reason


def test_a_cell_that_gives_signs_of_life_is_not_killed(
    acting: Callable[..., list[Cell]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "_BEAT", 0)
    (often,) = play_cells(acting("often"), behave, jobs=1, grace=1)
    assert often.result.verdict is Verdict.PASS
    monkeypatch.setattr(worker, "_BEAT", 3600)
    (silent,) = play_cells(acting("often"), behave, jobs=1, grace=1)
    assert silent.result.reason == "wall limit: worker killed"


def test_a_worker_goes_on_after_a_fault_of_the_tool(acting: Callable[..., list[Cell]]) -> None:
    assert [one.result.verdict for one in play(acting("raise", "pass"), jobs=1)] == [
        Verdict.ERROR,
        Verdict.PASS,
    ]


def test_what_a_cell_prints_is_kept_off_our_streams(
    acting: Callable[..., list[Cell]], capfd: pytest.CaptureFixture[str]
) -> None:
    quiet, loud = play(acting("shout", "raise"), jobs=1)
    assert capfd.readouterr() == ("", "")
    assert quiet.printed == ""
    assert "the end of stdout\npast the stream\nto stderr\n" in loud.printed
    assert "RuntimeError: a fault in the tool" in loud.printed
    assert len(loud.printed) <= 16_384


def test_a_crash_says_where(acting: Callable[..., list[Cell]]) -> None:
    (one,) = play(acting("crash"))
    assert "Segmentation fault" in one.printed
    assert "in crash" in one.printed


def test_what_one_cell_prints_is_not_laid_at_the_next(acting: Callable[..., list[Cell]]) -> None:
    first, second = play(acting("raise", "leave"), jobs=1)
    assert "to stderr" in first.printed
    assert second.printed == ""


def test_foreign_code_gets_a_process_of_its_own(make_cell: MakeCell) -> None:
    def pids(cells: list[Cell]) -> list[str]:
        def where(cell: Cell) -> CellResult:
            return replace(passed(cell), digest=str(os.getpid()))

        return [one.result.digest for one in play_cells(cells, where, jobs=1)]

    ours = [make_cell(axes={"n": n}) for n in range(3)]
    theirs = [replace(cell, scheduler="their:Scheduler") for cell in ours]
    assert len(set(pids(ours))) == 1
    assert len(set(pids(theirs))) == 3
    assert isolated(replace(ours[0], system="their-system"))


def test_a_real_world_ends_with_its_process(make_cell: MakeCell) -> None:
    sim, real = make_cell(), make_cell(world="real")
    assert (simulated(sim), isolated(sim)) == (True, False)
    assert (simulated(real), isolated(real)) == (False, True)


def test_as_many_cells_at_a_time_as_processors_or_displays_allow(make_cell: MakeCell) -> None:
    cells = [make_cell(world=world) for world in ["sim", "real"] * 64]
    own, given = WorldOptions(driver="xdotool", frames="all"), WorldOptions(display=":1")
    simulated_only = [cell for cell in cells if cell.world == "sim"]
    assert usual_jobs(simulated_only, own) == min(usable_cpus(), 64)
    assert usual_jobs(cells, own) == min(DISPLAYS_PER_CPU * usable_cpus(), 128)
    assert usual_jobs(cells[:1], own) == 1
    assert usual_jobs([], own) == 1
    assert usual_jobs(cells, given) == 1
    assert usual_jobs([*cells, make_cell(world="theirs")], own) == 1


@pytest.mark.parametrize("act", ["hang", "pass"])
def test_closing_ends_all_workers(make_cell: MakeCell, tmp_path: Path, act: str) -> None:
    def note(cell: Cell) -> CellResult:
        tmp_path.joinpath(str(os.getpid())).touch()
        ACTIONS[act if cell.axes["n"] else "pass"]()
        return passed(cell)

    cells = [make_cell(axes={"n": n}) for n in range(50)]
    with contextlib.closing(play_cells(cells, note, jobs=2)) as playing:
        next(playing)
    pids = [int(path.name) for path in tmp_path.iterdir()]
    assert pids
    assert [pid for pid in pids if alive(pid)] == []


def test_an_interrupted_cell_can_undo_what_it_did(make_cell: MakeCell, tmp_path: Path) -> None:
    def undoing(cell: Cell) -> CellResult:
        try:
            tmp_path.joinpath("begun").touch()
            time.sleep(60)
        finally:
            tmp_path.joinpath("undone").touch()
        return passed(cell)

    interrupted_mid_cell(make_cell(), undoing, tmp_path / "begun")
    assert tmp_path.joinpath("undone").exists()


INTERRUPT = """
import os, pathlib, signal, sys, time
while not pathlib.Path(sys.argv[1]).exists():
    time.sleep(0.01)
os.kill(int(sys.argv[2]), signal.SIGINT)
"""


def interrupted_mid_cell(cell: Cell, play: Callable[[Cell], CellResult], begun: Path) -> None:
    """Interrupt this process, as Ctrl-C does, once the cell has begun."""
    parent = os.getpid()
    watcher = subprocess.Popen(
        [
            sys.executable,
            "-c",
            INTERRUPT,
            str(begun),
            str(parent),
        ]
    )
    with pytest.raises(KeyboardInterrupt):
        list(play_cells([cell], play, jobs=1))
    assert watcher.wait(10) == 0


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@given(st.permutations(range(12)))
def test_order_is_restored_whatever_finishes_first(order: list[int]) -> None:
    result = CellResult("s", "f", 1, "s", {}, "sim", "p", None, 0, Verdict.PASS)
    arrived: set[int] = set()

    def arriving() -> Iterator[Played]:
        for index in order:
            arrived.add(index)
            yield Played(index, result)

    told = []
    for one in in_order(arriving()):
        told.append(one.index)
        # each as soon as all before it are there: nothing has arrived that could have been later
        needed = max(order.index(index) for index in range(one.index + 1)) + 1
        assert len(arrived) == needed
    assert told == sorted(order)


def test_there_is_a_processor() -> None:
    assert usable_cpus() >= 1
