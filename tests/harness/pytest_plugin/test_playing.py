"""Playing: a cell that never ends, exits or crashes leaves pytest alive; and in its own process."""

from __future__ import annotations

import os
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from windtunnel import units
from windtunnel.checks.base import Verdict
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.results import CellResult
from windtunnel.scenario.selecting.selection import Request, select

Run = Callable[..., pytest.RunResult]
Scenario = Callable[..., str]

OWN = """
import os
import signal
from windtunnel import UIActionScheduler


class Spinning(UIActionScheduler):
    async def start(self):
        while True:
            pass


class Deaf(UIActionScheduler):
    async def start(self):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass


class Leaving(UIActionScheduler):
    async def start(self):
        print("left here", flush=True)
        os._exit(3)


class Crashing(UIActionScheduler):
    async def start(self):
        os.kill(os.getpid(), signal.SIGSEGV)


class Logging(UIActionScheduler):
    async def start(self):
        import logging
        logging.getLogger("own").warning("a word of %s", "warning")
        await super().start()


class Telling(UIActionScheduler):
    async def start(self):
        print(f"played in {os.getpid()}.", flush=True)
        await super().start()
"""
ONE = """\
limits: {wall: 300ms}
timeline:
  - {at: 0s, submit: send_text, id: send, args: {to: alice, text: hello}}
expect:
  - count: {of: send_text, equals: 2}
"""


@pytest.fixture
def own(pytester: pytest.Pytester, scenario: Scenario) -> None:
    """Write a scenario that is red, and the schedulers that it is played with."""
    pytester.makepyfile(own=OWN)
    pytester.syspathinsert()
    scenario("one", ONE)


def test_a_cell_that_spins_ends(run: Run, own: None) -> None:
    result = run("--windtunnel-scheduler=own:Spinning")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["unknown one", "*: still running after 0.3 s of real time, at *"])


def test_a_cell_that_swallows_every_exception_is_killed(
    run: Run, own: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    import windtunnel.scenario.playing.pool

    monkeypatch.setattr(
        windtunnel.scenario.playing.pool.play_cells, "__kwdefaults__", {"grace": 0.2}
    )
    result = run("--windtunnel-scheduler=own:Deaf")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["unknown one", "*: wall limit: worker killed"])


@pytest.mark.parametrize(
    ("name", "how"), [("Leaving", "exit code 3"), ("Crashing", "signal 11 (SIGSEGV)")]
)
def test_a_cell_that_ends_its_process_is_an_error(run: Run, own: None, name: str, how: str) -> None:
    result = run(f"--windtunnel-scheduler=own:{name}")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["error one", f"*: worker died with {how}"])


def test_what_a_cell_logs_is_seen(run: Run, own: None) -> None:
    result = run("--windtunnel-scheduler=own:Logging")
    result.stdout.fnmatch_lines(["*Captured stdout call*", "a word of warning"])


@pytest.mark.parametrize(("options", "here"), [([], False), (["--windtunnel-in-process"], True)])
def test_where_a_cell_is_played(run: Run, own: None, options: list[str], here: bool) -> None:
    result = run("--windtunnel-scheduler=own:Telling", *options)
    result.assert_outcomes(failed=1)
    assert (f"played in {os.getpid()}." in result.stdout.str()) is here
    assert "played in" in result.stdout.str()


def test_a_debugger_plays_in_its_own_process_without_a_wall_limit(
    run: Run, own: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    from windtunnel.pytest_plugin import playing

    seen: list[tuple[int, int]] = []

    def run_cell(cell: Cell, **_: object) -> CellResult:
        seen.append((os.getpid(), cell.limits.wall))
        return CellResult.of(cell, Verdict.PASS)

    monkeypatch.setattr(playing, "run_cell", run_cell)
    (cell,) = select(Request(paths=("scenarios/one.yaml",))).cells
    config = SimpleNamespace(getoption=lambda name: name == "usepdb" or None)
    playing.play((cell,), Request(), config)  # type: ignore[arg-type]
    assert seen == [(os.getpid(), units.DAY)]


def test_in_its_own_process_pytest_goes_on_after_a_cell_that_spins(run: Run, own: None) -> None:
    result = run("--windtunnel-scheduler=own:Spinning", "--windtunnel-in-process")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["unknown one", "*: still running after 0.3 s of real time, at *"])
