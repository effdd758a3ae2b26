"""An end: asked, then forced, always reaped; and what was written last is there to be told."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from display_kit import state_of, stopped, wait_until
from windtunnel_real.programs.ending import end_program, how_it_ended, last_lines
from windtunnel_real.programs.starting import Started, start_program

SLEEP = (sys.executable, "-c", "import time; time.sleep(1000)")
DEAF = (
    sys.executable,
    "-c",
    "import sys, time, signal; signal.signal(15, 1); open(sys.argv[1], 'w'); time.sleep(99)",
)


def started(folder: Path, *command: str) -> Started:
    with (folder / "errors").open("ab") as errors:
        return start_program(command, os.environ, stderr=errors.fileno())


def test_it_is_asked_to_end_and_reaped(tmp_path: Path) -> None:
    program = started(tmp_path, *SLEEP)
    cmdline = Path(f"/proc/{program.pid}/cmdline")
    wait_until(lambda: b"time.sleep" in cmdline.read_bytes(), "it runs")
    assert how_it_ended(program) == "it still runs"
    end_program(program)
    assert how_it_ended(program) == "killed by SIGTERM"
    assert state_of(program.pid) == ""


def test_one_that_does_not_listen_is_killed(tmp_path: Path) -> None:
    marker = tmp_path / "deaf"
    program = started(tmp_path, *DEAF, str(marker))
    wait_until(marker.exists, "it is deaf")
    end_program(program, patience=0.1)
    assert how_it_ended(program) == "killed by SIGKILL"
    end_program(program)


def test_one_that_is_stopped_is_woken_and_ended(tmp_path: Path) -> None:
    program = started(tmp_path, *SLEEP)
    with stopped(program.pid):
        end_program(program, patience=60)
    assert how_it_ended(program) == "killed by SIGTERM"
    assert state_of(program.pid) == ""


def test_what_it_writes_goes_to_a_file_which_is_never_full(tmp_path: Path) -> None:
    words = "import sys; sys.stderr.write('x' * 100 + '\\n' + 'y\\n' * 200_000); sys.exit(3)"
    program = started(tmp_path, sys.executable, "-c", words)
    program.wait(60)
    assert how_it_ended(program) == "exit code 3"
    assert (tmp_path / "errors").stat().st_size > 65536
    assert last_lines(tmp_path / "errors") == "\n".join(["y"] * 8)


def test_lines_that_say_nothing_make_no_room_scarce(tmp_path: Path) -> None:
    errors = tmp_path / "errors"
    errors.write_text("the reason\n" + "1: server already running\n" * 20)
    assert last_lines(errors, without=("server already running",)) == "the reason"
    assert "the reason" not in last_lines(errors)


def test_no_file_has_no_lines(tmp_path: Path) -> None:
    assert last_lines(tmp_path / "absent") == ""
