"""Children: they end with the process, not with the thread, that started them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from display_kit import false_program, is_gone, run_python, state_of, stopped, wait_until
from windtunnel_real.display.children import (
    Child,
    end_child,
    find_program,
    how_it_ended,
    last_lines,
    start_child,
)
from windtunnel_real.errors import DisplayStartError

SLEEP = [sys.executable, "-c", "import time; time.sleep(1000)"]


def started(folder: Path, command: list[str] = SLEEP) -> Child:
    return start_child(command, environment=os.environ, errors=folder / "errors")


def test_it_outlives_the_thread_that_asked_for_it(tmp_path: Path) -> None:
    children: list[Child] = []
    thread = threading.Thread(target=lambda: children.append(started(tmp_path)))
    thread.start()
    thread.join()
    (child,) = children
    wait_until(lambda: b"time.sleep" in Path(f"/proc/{child.pid}/cmdline").read_bytes(), "it runs")
    assert how_it_ended(child) == "it still runs"
    end_child(child)
    assert how_it_ended(child) == "killed by SIGTERM"


PARENT = """
import os, sys, pathlib
from windtunnel_real.display.children import start_child
errors = pathlib.Path(sys.argv[1]) / "errors"
child = start_child(["sleep", "1000"], environment=os.environ, errors=errors)
print(child.pid, flush=True)
input()
"""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, None])
def test_it_ends_with_its_process_whatever_ends_that(
    how: signal.Signals | None, tmp_path: Path
) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", PARENT, str(tmp_path)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as parent:
        assert parent.stdin
        assert parent.stdout
        pid = int(parent.stdout.readline())
        comm = Path(f"/proc/{pid}/comm")
        wait_until(lambda: comm.read_text() == "sleep\n", "the program itself runs")
        if how is None:
            parent.stdin.close()
        else:
            parent.send_signal(how)
        parent.wait(60)
        wait_until(lambda: is_gone(pid), "the child ends with its parent")


FORKING = """
import os, sys, pathlib
from windtunnel_real.display.children import end_child, start_child
errors = pathlib.Path(sys.argv[1]) / "errors"
def play():
    child = start_child(["sleep", "1000"], environment=os.environ, errors=errors)
    end_child(child)
    return child.returncode
assert play() == -15
forked = os.fork()
if not forked:
    os._exit(0 if play() == -15 else 1)
assert os.waitstatus_to_exitcode(os.waitpid(forked, 0)[1]) == 0
"""


def test_a_fork_starts_children_of_its_own(tmp_path: Path) -> None:
    run_python(FORKING.replace("forked = os.fork()", NO_WARNING), str(tmp_path))


NO_WARNING = "import warnings; warnings.simplefilter('ignore'); forked = os.fork()"


def test_one_that_does_not_listen_is_killed(tmp_path: Path) -> None:
    deaf = (
        "import signal, time; signal.signal(15, signal.SIG_IGN); open({!r}, 'w'); time.sleep(999)"
    )
    marker = tmp_path / "deaf"
    child = started(tmp_path, [sys.executable, "-c", deaf.format(str(marker))])
    wait_until(marker.exists, "it is deaf")
    end_child(child, patience=0.1)
    assert how_it_ended(child) == "killed by SIGKILL"
    end_child(child)


def test_one_that_is_stopped_is_woken_and_ended(tmp_path: Path) -> None:
    child = started(tmp_path)
    with stopped(child.pid):
        end_child(child, patience=60)
    assert how_it_ended(child) == "killed by SIGTERM"
    assert state_of(child.pid) == ""


def test_what_it_writes_goes_to_a_file_which_is_never_full(tmp_path: Path) -> None:
    words = "import sys; sys.stderr.write('x' * 100 + '\\n' + 'y\\n' * 200_000); sys.exit(3)"
    child = started(tmp_path, [sys.executable, "-c", words])
    child.wait(60)
    assert how_it_ended(child) == "exit code 3"
    assert (tmp_path / "errors").stat().st_size > 65536
    assert last_lines(tmp_path / "errors") == "\n".join(["y"] * 8)


def test_lines_that_say_nothing_make_no_room_scarce(tmp_path: Path) -> None:
    errors = tmp_path / "errors"
    errors.write_text("the reason\n" + "1: server already running\n" * 20)
    assert last_lines(errors, without=("server already running",)) == "the reason"
    assert "the reason" not in last_lines(errors)


def test_no_file_has_no_lines(tmp_path: Path) -> None:
    assert last_lines(tmp_path / "absent") == ""


def test_ctrl_c_at_the_terminal_is_not_for_it(tmp_path: Path) -> None:
    child = started(tmp_path)
    try:
        assert os.getpgid(child.pid) != os.getpgrp()
    finally:
        end_child(child)


def test_a_program_is_found_or_its_package_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = false_program(tmp_path / "bin", "Xthing", "exit 0")
    monkeypatch.setenv("PATH", str(program.parent))
    assert find_program("Xthing", "xthing") == str(program)
    with pytest.raises(DisplayStartError, match=r"no program Xother .*apt-get install xother"):
        find_program("Xother", "xother")
    with pytest.raises(DisplayStartError, match=r"setpriv .*apt-get install util-linux"):
        started(tmp_path)


def test_what_cannot_be_started_is_raised_where_it_was_asked_for(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        start_child(SLEEP, environment=os.environ, errors=tmp_path)
    child = started(tmp_path)  # and the thread that starts them goes on
    end_child(child)
