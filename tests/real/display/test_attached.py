"""An attached display: found, understood when it refuses, and left as it was."""

from __future__ import annotations

import asyncio
import os
import signal
import struct
import subprocess
from pathlib import Path

import pytest

from display_kit import client, stopped
from windtunnel_real.display.attached import Attached
from windtunnel_real.display.cookie import FAMILY_WILD, METHOD, Cookie
from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.errors import DisplayDiedError, DisplayStartError

LONG = 60.0


def left_in(folder: Path) -> list[str]:
    return [path.name for path in folder.glob("windtunnel-*")]


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Have temporary folders made where the test sees them, and nobody's settings at work."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XAUTHORITY", raising=False)
    return tmp_path


def test_it_is_attached_to_and_left_as_it_was(fresh_xvfb: Xvfb, own_folder: Path) -> None:
    before = left_in(own_folder)
    attached = Attached.to(fresh_xvfb.address.name, fresh_xvfb.address.authority, LONG)
    with client(attached.address) as program:
        program.sync()
    assert attached.alive()
    assert attached.errors() == ""
    attached.stop()
    attached.stop()
    assert not attached.alive()
    assert fresh_xvfb.alive()
    assert fresh_xvfb.address.authority
    assert fresh_xvfb.address.authority.exists()
    assert left_in(own_folder) == before


@pytest.mark.parametrize("where", ["XAUTHORITY", "HOME"])
def test_the_cookie_is_found_where_every_program_looks(
    where: str, xvfb: Xvfb, own_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert xvfb.address.authority
    if where == "XAUTHORITY":
        monkeypatch.setenv("XAUTHORITY", str(xvfb.address.authority))
    else:
        (own_folder / "home").mkdir()
        (own_folder / "home/.Xauthority").write_bytes(xvfb.address.authority.read_bytes())
    attached = Attached.to(xvfb.address.name, timeout=LONG)
    try:
        with client(attached.address) as program:
            program.sync()
    finally:
        attached.stop()


def test_a_wild_cookie_serves_python_xlib_too(xvfb: Xvfb, own_folder: Path) -> None:
    """As people make it for containers: `xauth nlist | sed s/^..../ffff/`."""
    assert xvfb.address.authority
    secret = xvfb.address.authority.read_bytes()[-16:]
    fields = (b"", b"", METHOD, secret)
    wild = own_folder / "wild"
    wild.write_bytes(
        struct.pack(">H", FAMILY_WILD) + b"".join(struct.pack(">H", len(f)) + f for f in fields)
    )
    attached = Attached.to(xvfb.address.name, wild, LONG)
    try:
        with client(attached.address) as program:
            program.sync()
        shown = subprocess.run(["xdpyinfo"], env=attached.address.environment(), check=False)
        assert shown.returncode == 0
    finally:
        attached.stop()


def test_no_cookie_the_wrong_one_and_no_file(xvfb: Xvfb, own_folder: Path) -> None:
    wrong = own_folder / "wrong"
    Cookie.fresh().write(wrong)
    with pytest.raises(DisplayStartError, match=r"refuses us: .*none is known.*XAUTHORITY"):
        Attached.to(xvfb.address.name, timeout=LONG)
    with pytest.raises(DisplayStartError, match=f"the cookie in {wrong} is not its own"):
        Attached.to(xvfb.address.name, wrong, LONG)
    with pytest.raises(DisplayStartError, match="absent cannot be read: No such file"):
        Attached.to(xvfb.address.name, own_folder / "absent", LONG)
    assert left_in(own_folder) == []


def test_no_such_display(own_folder: Path) -> None:
    with pytest.raises(DisplayStartError, match="no display :59998: nobody listens"):
        Attached.to(":59998", timeout=LONG)
    with pytest.raises(DisplayStartError, match="no display of this machine"):
        Attached.to("elsewhere:0", timeout=LONG)
    assert left_in(own_folder) == []


def test_one_that_hangs_is_given_up_in_time(fresh_xvfb: Xvfb) -> None:
    with (
        stopped(fresh_xvfb.pid),
        pytest.raises(DisplayStartError, match=r"does not answer within 0.3 s: .*kill -CONT"),
    ):
        Attached.to(fresh_xvfb.address.name, fresh_xvfb.address.authority, 0.3)


@pytest.mark.parametrize("end", ["kill", "stop"])
def test_its_end_is_told(fresh_xvfb: Xvfb, end: str) -> None:
    attached = Attached.to(fresh_xvfb.address.name, fresh_xvfb.address.authority, LONG)

    async def scene() -> DisplayDiedError:
        waiting = asyncio.create_task(attached.died())
        await asyncio.sleep(0)
        if end == "kill":
            os.kill(fresh_xvfb.pid, signal.SIGKILL)
        else:
            attached.stop()
        return await asyncio.wait_for(waiting, LONG)

    told = {"kill": "its server hung up", "stop": "was let go"}[end]
    assert told in str(asyncio.run(scene()))
    assert not attached.alive()
    attached.stop()
