"""Locks: those whose server is gone, those that name somebody else, and servers left behind."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor_kit import server_as_told
from windtunnel_real.doctor.locks import SERVERS, dead_locks, orphans, reused, stale
from windtunnel_real.doctor.seen import ok

UNUSED = range(600, 700)
"""Numbers that no server of these tests takes, so that nothing listens at their abstract names."""


@pytest.fixture
def temp(tmp_path: Path) -> Path:
    """Give a folder as /tmp is."""
    (tmp_path / ".X11-unix").mkdir()
    return tmp_path


def write_process(proc: Path, pid: int, name: str, parent: int = 1) -> None:
    folder = proc / str(pid)
    folder.mkdir(parents=True)
    (folder / "comm").write_text(f"{name}\n", encoding="utf-8")
    (folder / "stat").write_text(f"{pid} ({name}) S {parent} {pid} 0\n", encoding="utf-8")


def write_lock(temp: Path, number: int, text: str) -> Path:
    path = temp / f".X{number}-lock"
    path.write_text(text, encoding="utf-8")
    return path


def test_no_lock_no_trouble(temp: Path) -> None:
    assert [stale(temp), reused(temp)] == [ok("none"), ok("none")]


def test_a_lock_that_a_restart_left_is_stale(temp: Path, tmp_path: Path) -> None:
    lock = write_lock(temp, 600, "      4711\n")
    seen = stale(temp, tmp_path / "proc")
    assert (seen.state, seen.text) == ("warn", f"{lock} of process 4711, gone")
    assert seen.mend == f"rm {lock}"
    assert reused(temp, tmp_path / "proc") == ok("none")


def test_a_lock_that_names_another_program_is_reused(temp: Path) -> None:
    lock = write_lock(temp, 600, f"{os.getpid():10}\n")
    name = Path("/proc/self/comm").read_text(encoding="utf-8").strip()
    seen = reused(temp)
    assert seen.text == f"{lock} names {os.getpid()}, now {name}"
    assert (seen.state, seen.mend) == ("warn", f"rm {lock}")
    assert stale(temp) == ok("none")


@pytest.mark.parametrize("text", ["", "words", "\x00"])
def test_a_lock_that_names_nobody_is_stale(text: str, temp: Path) -> None:
    write_lock(temp, 600, text)
    assert "of process ?, gone" in stale(temp).text


def test_a_server_that_listens_is_left_alone_whatever_its_lock_says(temp: Path) -> None:
    write_lock(temp, 600, "4711")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(temp / ".X11-unix" / "X600"))
        listening.listen()
        assert list(dead_locks(temp)) == []
    assert [lock.pid for lock in dead_locks(temp)] == [4711]


def test_a_server_of_this_machine_listens() -> None:
    with server_as_told() as (name, _):
        number = int(name.removeprefix(":"))
        assert number not in [int(lock.path.name[2:-5]) for lock in dead_locks()]


@given(
    locks=st.dictionaries(
        st.sampled_from(UNUSED),
        st.sampled_from([*sorted(SERVERS), "bash", "python3", "Xvfb2", ""]),
        max_size=5,
    )
)
def test_each_lock_is_stale_or_reused_or_a_servers(
    locks: dict[int, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    temp = tmp_path_factory.mktemp("locks")
    for number, name in locks.items():
        write_lock(temp, number, str(number))
        if name:
            write_process(temp / "proc", number, name)
    found = {lock.pid: lock.holder for lock in dead_locks(temp, temp / "proc")}
    assert found == {number: name for number, name in locks.items() if name not in SERVERS}
    assert list(found) == sorted(found)


def test_servers_of_the_first_process_are_orphans(tmp_path: Path) -> None:
    write_process(tmp_path, 1, "init", 0)
    write_process(tmp_path, 70, "Xvfb", 1)
    write_process(tmp_path, 80, "Xvfb", 70)
    write_process(tmp_path, 9, "Xvfb", 1)
    write_process(tmp_path, 100, "a) R 1 (b", 1)
    (tmp_path / "110").mkdir()  # has ended meanwhile
    seen = orphans(tmp_path)
    assert (seen.state, seen.text) == ("warn", "Xvfb 9 70: the parent is process 1")
    assert seen.mend == "kill 9 70   # if nobody uses them"


def test_a_server_that_has_its_parent_is_no_orphan() -> None:
    with server_as_told() as (_, pid):
        assert str(pid) not in orphans().text.split()
