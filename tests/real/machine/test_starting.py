"""A start: what is missing is said, nothing outlives us, and a bare checkout is enough."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from children_kit import PATIENCE, SLEEP, lives, python, status, until
from windtunnel.errors import WorldError
from windtunnel_real import errors
from windtunnel_real.machine import starting
from windtunnel_real.machine.starting import find_program, start_program, with_our_packages

HERE = dict(os.environ)


@contextmanager
def started(*argv: str, held: bool = False, **variables: str) -> Iterator[subprocess.Popen[bytes]]:
    process = start_program(argv, {**HERE, **variables}, held=held)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("scrot", r"no program scrot on the PATH: install it \(apt-get install scrot\)"),
        ("setpriv", r"\(apt-get install util-linux\)"),
        ("no-such", r"no program no-such on the PATH: install it \(or put its folder on the PATH"),
        ("/no/such", r"no program at /no/such, or it may not be run"),
    ],
)
def test_a_program_that_is_missing_is_named_with_the_way_to_it(
    tmp_path: Path, name: str, says: str
) -> None:
    with pytest.raises(WorldError, match=says):
        start_program([name], {"PATH": str(tmp_path)})


def test_without_the_guard_nothing_is_started(tmp_path: Path) -> None:
    (tmp_path / "program").symlink_to("/bin/true")
    with pytest.raises(WorldError, match="util-linux"):
        start_program(["program"], {"PATH": str(tmp_path)})


def test_a_file_that_may_not_be_run_is_no_program(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("data", encoding="utf-8")
    with pytest.raises(WorldError, match="may not be run"):
        find_program(str(tmp_path / "data"), {})


def test_arguments_arrive_as_they_are(tmp_path: Path) -> None:
    said = ["", "a b", "$HOME", "'\"", "用户", "-c", ";exit 3"]
    text = "import sys, pathlib; pathlib.Path(sys.argv[1]).write_text(repr(sys.argv[2:]))"
    with started(*python(text), str(tmp_path / "out"), *said) as process:
        assert process.wait(PATIENCE) == 0
    assert (tmp_path / "out").read_text() == repr(said)


def test_a_session_of_its_own_keeps_the_terminals_signals_away() -> None:
    with started(*SLEEP) as process:
        assert os.getsid(process.pid) == process.pid != os.getsid(0)


def test_one_that_is_held_takes_no_step_until_it_may(tmp_path: Path) -> None:
    async def main() -> None:
        with started("touch", str(tmp_path / "stepped"), held=True) as process:
            await until(lambda: status(process.pid).get("State", "")[:1] == "T")
            process.send_signal(signal.SIGTERM)
            await asyncio.sleep(0.05)
            assert not (tmp_path / "stepped").exists()
            assert lives(process.pid)
        with started("touch", str(tmp_path / "stepped"), held=True) as process:
            await until(lambda: status(process.pid).get("State", "")[:1] == "T")
            process.send_signal(signal.SIGCONT)
            assert await asyncio.to_thread(process.wait, PATIENCE) == 0
            assert (tmp_path / "stepped").exists()

    asyncio.run(main())


PARENT = """
import os, sys, time
from windtunnel_real.machine.starting import start_program
pids = [start_program(["sleep", "1000"], dict(os.environ), held=held).pid for held in (0, 1)]
print(*pids, flush=True)
time.sleep(1000)
"""


def test_nothing_outlives_a_parent_that_is_killed() -> None:
    """One that runs and one that is stopped: neither can be asked, both are gone."""
    environment = with_our_packages(HERE)
    with subprocess.Popen(
        [sys.executable, "-c", PARENT], env=environment, stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        pids = [int(pid) for pid in parent.stdout.readline().split()]
        assert [lives(pid) for pid in pids] == [True, True]
        parent.kill()
    asyncio.run(until(lambda: not any(lives(pid) for pid in pids)))


@pytest.mark.parametrize("script", [starting._GUARD, starting._HELD])
def test_nor_one_that_died_before_the_kernel_was_asked(script: str, tmp_path: Path) -> None:
    """The guard finds another parent than the one that started it, and starts nothing."""
    command = ["sh", "-c", script, str(os.getpid() + 1), "touch", str(tmp_path / "stepped")]
    assert subprocess.run(command, check=False, timeout=PATIENCE).returncode == 1
    assert not (tmp_path / "stepped").exists()


def test_our_packages_are_found_from_a_bare_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sysconfig, "get_path", lambda name: "/nowhere")
    environment = with_our_packages({"PATH": HERE["PATH"], "PYTHONPATH": str(tmp_path)})
    text = "import windtunnel.trace, windtunnel_real.errors as e; print(e.__file__)"
    said = subprocess.check_output(python(text), env=environment, text=True, cwd="/")
    assert Path(said.strip()).samefile(errors.__file__)
    assert environment["PYTHONPATH"].split(os.pathsep)[2:] == [str(tmp_path)]


def test_what_is_installed_is_left_to_the_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    root = str(Path(errors.__file__).parents[1])
    monkeypatch.setattr(sysconfig, "get_path", lambda name: root)
    path = with_our_packages({}).get("PYTHONPATH", "").split(os.pathsep)
    assert root not in path
