"""The host: locale, folders, signals, processes, memory and environment."""

from __future__ import annotations

import locale
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from doctor_kit import server_as_told, write_program
from windtunnel_real.doctor import host
from windtunnel_real.doctor.seen import bad, ok


@pytest.mark.parametrize(
    ("given", "state"), [("C.UTF-8", "ok"), ("POSIX", "warn")], ids=["utf-8", "posix"]
)
def test_the_locale_of_a_fresh_process(given: str, state: str) -> None:
    look = "from windtunnel_real.doctor.host import utf8_locale as look; print(look().state)"
    done = subprocess.run(
        [sys.executable, "-c", look],
        env=os.environ | {"LC_ALL": given, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == f"{state}\n"


def test_a_machine_without_the_locale_that_programs_are_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = locale.setlocale(locale.LC_CTYPE)
    monkeypatch.setattr(host, "LOCALE", "xx_XX.UTF-8")
    assert (
        host.utf8_locale().text == "there is no xx_XX.UTF-8, which programs on a display are given"
    )
    assert locale.setlocale(locale.LC_CTYPE) == before


def test_a_temporary_folder_with_room() -> None:
    assert host.temp_folder().state == "ok"


def test_a_temporary_folder_that_is_full_or_not_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(free=3 << 20))
    assert (host.temp_folder().state, "3 MB free" in host.temp_folder().text) == ("warn", True)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    assert host.temp_folder() == bad("no file can be made: No such file or directory")


def test_the_socket_folder(tmp_path: Path) -> None:
    assert host.socket_folder(tmp_path / "none").state == "ok"
    tmp_path.chmod(0o1777)
    assert host.socket_folder(tmp_path).state == "ok"
    tmp_path.chmod(0o755)
    seen = host.socket_folder(tmp_path)
    assert (seen.state, seen.mend) == ("warn", f"chmod 1777 {tmp_path}")
    (tmp_path / "file").touch()
    assert host.socket_folder(tmp_path / "file").state == "bad"


def test_a_program_can_be_made_to_end_with_its_starter() -> None:
    assert host.parent_death().state == "ok"


@pytest.mark.parametrize(
    ("script", "told"),
    [(None, "there is no setpriv"), ("echo not permitted >&2; exit 1", "fails: not permitted")],
)
def test_what_keeps_a_program_from_it(
    script: str | None, told: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    if script is not None:
        write_program(tmp_path, "setpriv", script)
    monkeypatch.setenv("PATH", str(tmp_path))
    seen = host.parent_death()
    assert (seen.state, told in seen.text) == ("bad", True)


def test_processes_that_can_and_cannot_be_read(tmp_path: Path) -> None:
    assert host.processes().state == "ok"
    seen = host.processes(tmp_path)
    assert seen == bad(f"{tmp_path}/{os.getpid()}/comm: No such file or directory")


@pytest.mark.parametrize(("total", "state"), [(64 << 20, "warn"), (65 << 20, "ok")])
def test_the_size_of_shared_memory(
    total: int, state: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: SimpleNamespace(total=total))
    assert host.dev_shm(tmp_path).state == state
    assert host.dev_shm(tmp_path / "gone").state == "warn"


@pytest.mark.parametrize(
    ("processors", "load", "free_mb", "state"),
    [(2, 4.0, 200, "ok"), (1, 0.0, 200, "warn"), (2, 4.1, 200, "warn"), (2, 0.0, 199, "warn")],
)
def test_processors_load_and_memory(
    processors: int,
    load: float,
    free_mb: int,
    state: str,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    meminfo = tmp_path / "meminfo"
    meminfo.write_text(f"MemTotal: 9 kB\nMemAvailable:   {free_mb << 10} kB\n", encoding="ascii")
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(processors)))
    monkeypatch.setattr(os, "getloadavg", lambda: (load, 0.0, 0.0))
    seen = host.processors(meminfo)
    assert (seen.state, f"{free_mb} MB of memory free" in seen.text) == (state, True)


def test_no_display_in_the_environment() -> None:
    assert host.environment({}) == ok("DISPLAY is not set")


def test_a_display_in_the_environment_that_answers() -> None:
    with server_as_told("-ac") as (name, _):
        assert host.environment({"DISPLAY": name}) == ok(f"DISPLAY is {name}, and answers")


def test_a_display_in_the_environment_that_is_gone(tmp_path: Path) -> None:
    seen = host.environment({"DISPLAY": ":654"})
    assert (seen.state, seen.mend) == ("warn", "unset DISPLAY")
    seen = host.environment({"XAUTHORITY": str(tmp_path / "gone"), "DISPLAY": ":654"})
    assert (seen.state, seen.mend) == ("warn", "unset XAUTHORITY")
