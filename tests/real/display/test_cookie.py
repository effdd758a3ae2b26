"""Cookies: written so that every library finds them, and said nowhere else."""

from __future__ import annotations

import socket
import stat
import struct
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from Xlib.xauth import FamilyLocal, Xauthority

from windtunnel_real.display.cookie import (
    FAMILY_LOCAL,
    FAMILY_WILD,
    METHOD,
    Cookie,
    find_cookie,
)

HOST = socket.gethostname().encode()
Entry = tuple[int, bytes, bytes, bytes, bytes]


def packed(entry: Entry) -> bytes:
    family, *fields = entry
    return struct.pack(">H", family) + b"".join(struct.pack(">H", len(f)) + f for f in fields)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "Xauthority"


def test_what_is_written_is_found_for_any_display(path: Path) -> None:
    cookie = Cookie.fresh()
    cookie.write(path)
    assert find_cookie(path, 0) == find_cookie(path, 1234) == cookie


def test_python_xlib_finds_it(path: Path) -> None:
    cookie = Cookie.fresh()
    cookie.write(path)
    found = Xauthority(str(path)).get_best_auth(FamilyLocal, HOST, 7)
    assert found == (METHOD, cookie.secret)


def test_xauth_reads_both_entries(path: Path) -> None:
    cookie = Cookie.fresh()
    cookie.write(path)
    listed = subprocess.run(
        ["xauth", "-f", str(path), "nlist"], capture_output=True, text=True, check=True
    ).stdout.split("\n")[:2]
    assert [line.split()[0] for line in listed] == ["0100", "ffff"]
    assert all(line.split()[-1] == cookie.secret.hex() for line in listed)


def test_only_its_owner_reads_it_and_nothing_is_written_over(path: Path) -> None:
    Cookie.fresh().write(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    before = path.read_bytes()
    with pytest.raises(FileExistsError):
        Cookie.fresh().write(path)
    assert path.read_bytes() == before


def test_no_repr_says_it_and_no_two_are_alike() -> None:
    cookie = Cookie.fresh()
    assert len(cookie.secret) == 16
    assert Cookie.fresh() != cookie
    assert cookie.secret.hex() not in repr(cookie)
    assert repr(cookie) == "Cookie()"


FIELDS = st.sampled_from([b"", HOST, b"elsewhere", b"0", b"7", b"17"])
ENTRIES = st.tuples(
    st.sampled_from([0, FAMILY_LOCAL, FAMILY_WILD]),
    st.sampled_from([b"", HOST, b"elsewhere"]),
    st.sampled_from([b"", b"7", b"17"]),
    st.sampled_from([METHOD, b"XDM-AUTHORIZATION-1"]),
    st.binary(max_size=20),
)


def matches(entry: Entry, number: int) -> bool:
    family, address, shown, method, _ = entry
    here = family == 65535 or (family == 256 and address == HOST)
    return here and shown in (b"", str(number).encode()) and method == METHOD


@given(st.lists(ENTRIES, max_size=6), st.sampled_from([7, 17]), st.integers(0, 400))
def test_the_first_entry_that_matches_wins_and_a_cut_file_ends(
    entries: list[Entry], number: int, cut: int
) -> None:
    data = b"".join(map(packed, entries))[:cut]
    whole = [
        e for i, e in enumerate(entries) if len(b"".join(map(packed, entries[: i + 1]))) <= cut
    ]
    wanted = next((Cookie(e[4]) for e in whole if matches(e, number)), None)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(data)
        assert find_cookie(path, number) == wanted


@given(st.binary(max_size=300))
def test_any_bytes_are_read_without_a_crash(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(data)
        find_cookie(path, 0)


def test_a_file_that_is_not_there_is_an_error(path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        find_cookie(path, 0)
