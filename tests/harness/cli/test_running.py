"""A whole run in a fresh process, over real scenarios."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from windtunnel.cli.real_options import RealOptions
from windtunnel.cli.running import Options, _again, _jobs
from windtunnel.cli.session import Session
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.playing.pool import DISPLAYS_PER_CPU, usable_cpus
from windtunnel.scenario.selecting.files import bundled_root
from windtunnel.scenario.selecting.selection import Request

MakeCell = Callable[..., Cell]

HANGING = """
class Hanging:
    async def execute(self, action):
        open("begun", "w").close()
        while True:
            pass
"""
SCENARIO = """
format: 1
name: foreign
system: ui
policy: specified
given: {actions: {send_text: {duration: 1s}}}
timeline:
  - {at: 0s, submit: send_text, id: a}
expect:
  - conservation: {of: [send_text]}
limits: {wall: 100ms}
"""


CHOSEN = "scheduler or router or queue"


def program(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "windtunnel", *arguments]


def test_the_bundled_scenarios_pass_from_anywhere(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    done = subprocess.run(
        program("run", "--world", "sim", "--json", "-"),
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stderr
    assert {line["file"] for line in lines} == {
        str(path.relative_to(bundled_root())) for path in bundled_root().rglob("*.yaml")
    }
    assert {line["verdict"] for line in lines} == {"pass"}
    assert all(len(line["digest"]) == 64 for line in lines)


def test_the_jobs_do_not_change_the_results(environment: dict[str, str]) -> None:
    def results(jobs: str) -> list[dict[str, object]]:
        done = subprocess.run(
            program("run", "--world", "sim", "--json", "-", "--jobs", jobs, "-k", CHOSEN),
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        return [{**line, "seconds": 0} for line in lines]

    assert results("1") == results("4")


@pytest.mark.parametrize("wanted", [signal.SIGINT, signal.SIGTERM])
def test_ctrl_c_ends_a_cell_that_hangs_and_all_workers(
    tmp_path: Path, environment: dict[str, str], wanted: signal.Signals
) -> None:
    with hanging_run(tmp_path, environment) as child:
        (worker,) = children_of(child.pid)
        child.send_signal(wanted)
        out, _ = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "1 not run (interrupted)" in out
    assert not runs(worker)


def test_a_run_that_is_killed_leaves_no_worker(tmp_path: Path, environment: dict[str, str]) -> None:
    with hanging_run(tmp_path, environment) as child:
        (worker,) = children_of(child.pid)
        child.kill()
        child.communicate(timeout=60)
    until = time.monotonic() + 60
    while runs(worker):
        assert time.monotonic() < until
        time.sleep(0.02)


@contextlib.contextmanager
def hanging_run(folder: Path, environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """Give a run whose only cell has begun and never ends."""
    (folder / "hanging.py").write_text(HANGING)
    (folder / "a.yaml").write_text(SCENARIO.replace("100ms", "1h"))
    with subprocess.Popen(
        program("run", "a.yaml", "--scheduler", "hanging:Hanging"),
        env=environment,
        cwd=folder,
        stdout=subprocess.PIPE,
        text=True,
    ) as child:
        until = time.monotonic() + 60
        while not (folder / "begun").exists():
            assert time.monotonic() < until
            time.sleep(0.02)
        yield child


def runs(pid: int) -> bool:
    """Tell whether a process lives; one that only waits to be reaped by its new parent does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def children_of(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_a_loop_without_end_is_ended_by_the_wall_limit(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    (tmp_path / "hanging.py").write_text(HANGING)
    (tmp_path / "a.yaml").write_text(SCENARIO)
    done = subprocess.run(
        program("run", "a.yaml", "--scheduler", "hanging:Hanging", "--json", "-"),
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert json.loads(done.stdout)["verdict"] == "unknown"


def test_on_a_terminal_it_fits(environment: dict[str, str]) -> None:
    parent, child = pty.openpty()
    with subprocess.Popen(
        program("run", "ui/drain.yaml"),
        env=environment | {"COLUMNS": "80", "TERM": "xterm"},
        stdout=child,
        stderr=child,
        stdin=subprocess.DEVNULL,
    ) as run:
        os.close(child)
        seen = b""
        try:
            while block := os.read(parent, 4096):
                seen += block
        except OSError:
            pass  # the terminal is closed
    os.close(parent)
    assert run.returncode == 0
    table = [line for line in seen.decode().splitlines() if "drain" in line and "specified" in line]
    assert table
    assert table[0].startswith("\x1b[32mpass")
    assert len(re.sub(r"\x1b\[[0-9;]*m", "", table[0])) <= 80


def test_the_jobs_are_as_many_as_asked_for_and_no_more_than_cells(make_cell: MakeCell) -> None:
    sim = [make_cell()] * 64
    real = [*sim, make_cell(world="real")]
    assert _jobs(Options(), sim) == min(usable_cpus(), 64)
    assert _jobs(Options(), real) == min(DISPLAYS_PER_CPU * usable_cpus(), 65)
    assert _jobs(Options(real=RealOptions(display=":1")), real) == 1
    assert _jobs(Options(jobs=3), real) == 3
    assert _jobs(Options(jobs=300), sim) == 64
    assert _jobs(Options(), []) == 1


@pytest.mark.parametrize(
    ("worlds", "arguments"),
    [
        (["sim"], ("a.yaml", "--world", "moon", "--driver", "xdotool")),
        (["sim", "real"], ("a.yaml", "--world", "sim")),
        (["sim", "moon", "real"], ("a.yaml", "--world", "moon", "--driver", "xdotool")),
        (["real", "real"], None),
    ],
)
def test_only_what_can_be_compared_is_played_again(
    make_cell: MakeCell, worlds: list[str], arguments: tuple[str, ...] | None
) -> None:
    request = Request(paths=("a.yaml",), world="moon")
    cells = [make_cell(world=world) for world in worlds]
    session = Session(cells, request, [], real=RealOptions(driver="xdotool"))
    assert _again(session) == arguments
