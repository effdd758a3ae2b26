"""The shelf: pictures written in order by one thread, within bounds, and thrown away."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from pictures_kit import FAR_S, made, until
from windtunnel_real.errors import DeadlineError
from windtunnel_real.pictures import shelf as shelf_module
from windtunnel_real.pictures.png import encode, read_png
from windtunnel_real.pictures.shelf import PENDING, Shelf

FRAME = made(4, 4, 1, 2, 3)
OTHER = made(4, 4, 3, 2, 1)


def test_what_is_put_there_is_copied_and_nothing_else_is_left(tmp_path: Path) -> None:
    async def main() -> None:
        shelf = Shelf(tmp_path / "own")
        (tmp_path / "own").mkdir()
        for name, frame in {"one.png": FRAME, "two.png": OTHER, "three.png": OTHER}.items():
            await shelf.room()
            shelf.put(name, frame)
        shelf.remove("three.png")
        into = tmp_path / "kept" / "here"
        await shelf.copy(["one.png", "two.png"], into, FAR_S)
        assert {path.name for path in into.iterdir()} == {"one.png", "two.png"}
        assert (read_png(into / "one.png"), read_png(into / "two.png")) == (FRAME, OTHER)
        (own,) = (tmp_path / "own").iterdir()
        assert {path.name for path in own.iterdir()} == {"one.png", "two.png"}
        await shelf.close()
        await shelf.close()
        assert shelf.closed
        assert list((tmp_path / "own").iterdir()) == []

    asyncio.run(main())


def test_a_shelf_that_is_not_used_makes_no_folder(tmp_path: Path) -> None:
    async def main() -> None:
        shelf = Shelf(tmp_path)
        shelf.remove("none.png")
        await shelf.close()

    asyncio.run(main())
    assert list(tmp_path.iterdir()) == []


def test_no_more_frames_wait_than_may(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free = threading.Event()

    def slowly(frame: object) -> bytes:
        free.wait(FAR_S)
        return encode(FRAME)

    monkeypatch.setattr(shelf_module, "encode", slowly)

    async def main() -> None:
        shelf = Shelf(tmp_path)
        for number in range(PENDING):
            await asyncio.wait_for(shelf.room(), FAR_S)
            shelf.put(f"{number}.png", FRAME)
        waiting = asyncio.create_task(shelf.room())
        await asyncio.sleep(0.05)
        assert not waiting.done()
        free.set()
        await asyncio.wait_for(waiting, FAR_S)
        shelf.leave()
        await shelf.copy([f"{number}.png" for number in range(PENDING)], tmp_path / "into", FAR_S)
        await shelf.close()

    asyncio.run(main())
    assert len(list((tmp_path / "into").iterdir())) == PENDING


def test_what_cannot_be_written_is_noted_and_gives_its_room_back(tmp_path: Path) -> None:
    async def main() -> None:
        shelf = Shelf(tmp_path / "nowhere")
        for number in range(PENDING + 3):
            await asyncio.wait_for(shelf.room(), FAR_S)
            shelf.put(f"{number}.png", FRAME)
        await shelf.copy(["0.png"], tmp_path / "into", FAR_S)
        assert "it could not be written: " in shelf.failed["0.png"]
        assert list((tmp_path / "into").iterdir()) == []
        await shelf.close()

    asyncio.run(main())


def test_a_copy_has_a_deadline(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    free = threading.Event()

    def slowly(frame: object) -> bytes:
        free.wait(FAR_S)
        return b""

    monkeypatch.setattr(shelf_module, "encode", slowly)

    async def main() -> None:
        shelf = Shelf(tmp_path)
        await shelf.room()
        shelf.put("one.png", FRAME)
        with pytest.raises(DeadlineError, match=r"frames were not written in 0\.05 s"):
            await shelf.copy(["one.png"], tmp_path / "into", 0.05)
        free.set()
        await shelf.close()

    asyncio.run(main())


def test_a_thread_that_is_stuck_does_not_keep_closing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    free = threading.Event()
    monkeypatch.setattr(shelf_module, "CLOSE_S", 0.05)

    async def main() -> None:
        shelf = Shelf(tmp_path)
        stuck = shelf._thread.submit(free.wait, FAR_S)
        await shelf.close()
        assert "frames were left behind" in caplog.text
        free.set()
        await asyncio.wrap_future(stuck)
        await until(lambda: not [t for t in threading.enumerate() if "frames" in t.name])

    asyncio.run(main())
