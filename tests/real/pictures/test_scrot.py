"""scrot: a picture like any other, and a program that hangs, fails or writes elsewhere."""

from __future__ import annotations

import asyncio
import os
import subprocess
from pathlib import Path

import pytest

from pictures_kit import FAR_S, Canvas, own_xvfb, program, stopped, until
from windtunnel.ports import Region
from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.errors import (
    BlankFrameError,
    DeadlineError,
    DisplayDiedError,
    DisplayStartError,
    InputError,
)
from windtunnel_real.pictures.png import encode, read_png
from windtunnel_real.pictures.scrot import ScrotError, scrot

SOON_S = 0.5
DISPLAY = DisplayAddress(":77")


@pytest.fixture
def bin_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a folder that is looked at first for programs."""
    folder = tmp_path / "bin"
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("STARTED", str(tmp_path / "started"))
    return folder


HANGS = """
    import os, pathlib, subprocess, sys, time
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    path = pathlib.Path(os.environ["STARTED"])
    path.with_suffix(".part").write_text(f"{os.getpid()} {child.pid}")
    path.with_suffix(".part").rename(path)
    time.sleep(600)
"""


def there(pid: int) -> bool:
    """Return whether there is such a process, were it one that waits to be reaped."""
    return Path(f"/proc/{pid}").exists()


def gone(pid: int) -> bool:
    """Return whether there is no such process, or it waits for its adoptive parent to reap it."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="ascii")
    except (FileNotFoundError, ProcessLookupError):
        return True
    return stat.rpartition(")")[2].split()[0] == "Z"


def test_it_is_what_the_display_shows(
    address: DisplayAddress, canvas: Canvas, tmp_path: Path
) -> None:
    canvas.scatter(1)
    path = tmp_path / "it.png"
    frame = asyncio.run(scrot(address, path, timeout=FAR_S))
    assert frame.pixels == canvas.seen(Region(0, 0, 320, 200))
    assert read_png(path) == frame
    assert list(tmp_path.iterdir()) == [path]


def test_a_name_that_is_taken_or_means_something_is_the_name(
    address: DisplayAddress, canvas: Canvas, tmp_path: Path
) -> None:
    """The program itself writes to another one."""
    canvas.scatter(1)
    paths = [tmp_path / "taken.png", tmp_path / "%Y-$w.png"]
    for path in paths:
        path.write_bytes(b"")
        subprocess.run(
            ["scrot", "--silent", str(path)], env=address.environment(), check=True, timeout=FAR_S
        )
        assert path.read_bytes() == b""
    beside = {path.name for path in tmp_path.iterdir()} - {path.name for path in paths}
    assert "taken_000.png" in beside
    for path in paths:
        frame = asyncio.run(scrot(address, path, timeout=FAR_S))
        assert read_png(path) == frame
    names = {path.name for path in tmp_path.iterdir()}
    assert names == beside | {path.name for path in paths}


def test_a_blank_display_is_refused(address: DisplayAddress, canvas: Canvas) -> None:
    canvas.clear(0)
    with pytest.raises(BlankFrameError):
        asyncio.run(scrot(address, timeout=FAR_S))


@pytest.mark.spec("UI-AC4")
def test_one_that_hangs_is_killed_and_reaped(bin_folder: Path, tmp_path: Path) -> None:
    program(bin_folder, HANGS)

    async def main() -> None:
        started = tmp_path / "started"
        call = asyncio.create_task(scrot(DISPLAY, tmp_path / "it.png"))
        await until(lambda: started.exists() or call.done())
        assert not call.done()
        own, child = map(int, started.read_text().split())
        with pytest.raises(TimeoutError, match="scrot gave no picture in 5 s") as caught:
            await call
        assert isinstance(caught.value, DeadlineError)
        assert not there(own), "it was not reaped"
        await until(lambda: gone(child))

    asyncio.run(main())
    assert not (tmp_path / "it.png").exists()


@pytest.mark.spec("UI-AC4")
def test_one_whose_caller_goes_is_killed_and_reaped(bin_folder: Path, tmp_path: Path) -> None:
    program(bin_folder, HANGS)

    async def main() -> None:
        started = tmp_path / "started"
        call = asyncio.create_task(scrot(DISPLAY, timeout=FAR_S))
        await until(lambda: started.exists() or call.done())
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        own, child = map(int, started.read_text().split())
        assert not there(own), "it was not reaped"
        await until(lambda: gone(child))

    asyncio.run(main())


@pytest.mark.spec("UI-AC4")
def test_the_real_one_at_a_stopped_server_is_killed(tmp_path: Path) -> None:
    with own_xvfb() as server, stopped(server.pid):
        path = tmp_path / "it.png"
        with pytest.raises(DeadlineError):
            asyncio.run(scrot(server.address, path, timeout=SOON_S))
        assert list(tmp_path.iterdir()) == []


def test_one_that_was_killed_leaves_no_empty_file(bin_folder: Path, tmp_path: Path) -> None:
    program(
        bin_folder,
        """
        import os, signal
        open("shot.png", "wb").close()
        os.kill(os.getpid(), signal.SIGKILL)
        """,
    )
    path = tmp_path / "it.png"
    path.write_bytes(b"before")
    with pytest.raises(ScrotError, match="ended with status -9"):
        asyncio.run(scrot(DISPLAY, path, timeout=FAR_S))
    assert path.read_bytes() == b"before"


def test_one_that_writes_nothing_is_told(bin_folder: Path, tmp_path: Path) -> None:
    program(bin_folder, "open('shot.png', 'wb').close()")
    with pytest.raises(ScrotError, match="ended well and wrote nothing"):
        asyncio.run(scrot(DISPLAY, tmp_path / "it.png", timeout=FAR_S))
    assert not (tmp_path / "it.png").exists()


def test_one_that_writes_to_another_name_is_understood(
    bin_folder: Path, tmp_path: Path, address: DisplayAddress, canvas: Canvas
) -> None:
    canvas.scatter(1)
    seen = asyncio.run(scrot(address, timeout=FAR_S))
    (tmp_path / "source.png").write_bytes(encode(seen))
    program(
        bin_folder,
        f"""
        import shutil
        shutil.copy({str(tmp_path / "source.png")!r}, "shot_000.png")
        """,
    )
    before = set(Path.cwd().iterdir())
    assert asyncio.run(scrot(DISPLAY, tmp_path / "it.png", timeout=FAR_S)) == seen
    assert read_png(tmp_path / "it.png") == seen
    assert set(Path.cwd().iterdir()) == before


def test_one_that_writes_half_is_told(bin_folder: Path, tmp_path: Path) -> None:
    program(bin_folder, r"import sys; sys.stdout.buffer.write(b'\x89PNG\r\n\x1a\n' + bytes(20))")
    with pytest.raises(InputError, match=r"what scrot wrote is no whole PNG \(28 bytes\)"):
        asyncio.run(scrot(DISPLAY, tmp_path / "it.png", timeout=FAR_S))
    assert not (tmp_path / "it.png").exists()


def test_one_that_fails_says_why(bin_folder: Path) -> None:
    program(bin_folder, "import sys; sys.exit('no memory')")
    with pytest.raises(ScrotError, match="ended with status 1: no memory"):
        asyncio.run(scrot(DISPLAY, timeout=FAR_S))


def test_no_display_is_told() -> None:
    with pytest.raises(DisplayDiedError, match="scrot cannot reach :9999"):
        asyncio.run(scrot(DisplayAddress(":9999"), timeout=FAR_S))


def test_no_scrot_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setpriv = program(tmp_path, "", "setpriv")
    monkeypatch.setenv("PATH", str(setpriv.parent))
    with pytest.raises(DisplayStartError, match="apt-get install scrot"):
        asyncio.run(scrot(DISPLAY, timeout=FAR_S))
