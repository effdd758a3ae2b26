"""The frames of a run: one file for each change, the last ones, and an index that says which."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pictures_kit import FAR_S, Canvas, canvas_on, made, own_xvfb, stopped
from windtunnel.ports import Frame, Region
from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.errors import BlankFrameError, DeadlineError
from windtunnel_real.pictures.capture import Capture
from windtunnel_real.pictures.frames import INDEX, Frames
from windtunnel_real.pictures.png import read_png
from windtunnel_real.pictures.shelf import PENDING


class Reel:
    """A camera that shows a script: frames by their number, None where a picture fails."""

    def __init__(self, *script: int | None) -> None:
        self._script = list(script)

    async def take(self, region: Region | None = None, *, timeout: float = 5.0) -> Frame:
        shown = self._script.pop(0)
        if shown is None:
            raise BlankFrameError("nothing is shown")
        return made(3, 2, shown)


class Stuck:
    """A camera that gives neither picture nor error, so many times, and then a picture."""

    def __init__(self, times: int) -> None:
        self._times = times

    async def take(self, region: Region | None = None, *, timeout: float = 5.0) -> Frame:
        self._times -= 1
        if self._times >= 0:
            await asyncio.Event().wait()
        return made(3, 2, 1)


@asynccontextmanager
async def kept(camera: Any, folder: Path, limit: int = 400) -> AsyncIterator[Frames]:
    frames = Frames(camera, folder, limit)
    try:
        yield frames
    finally:
        await frames.drop()


def index(folder: Path) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = json.loads((folder / INDEX).read_text(encoding="utf-8"))["steps"]
    return steps


def on_display(body: Callable[[Capture, Canvas], Awaitable[None]]) -> None:
    async def main() -> None:
        with own_xvfb() as server, canvas_on(server.address) as canvas:
            canvas.scatter(1)
            capture = await Capture.open(server.address, FAR_S)
            try:
                await body(capture, canvas)
            finally:
                await capture.close()

    asyncio.run(main())


def test_a_run_on_a_display_is_kept_step_by_step(tmp_path: Path) -> None:
    own, into = tmp_path / "own", tmp_path / "into"
    own.mkdir()

    async def body(capture: Capture, canvas: Canvas) -> None:
        shown = []
        async with kept(capture, own) as frames:
            for label in ("before send-1", "after send-1 click_search", "after send-1 type_query"):
                await frames.take(label, timeout=FAR_S)
                shown.append(await capture.take(timeout=FAR_S))
                if "click" not in label:
                    canvas.fill(0xFF00FF, 10, 10, len(shown) * 20, 20)
            assert not into.exists(), "nothing is written elsewhere before it is kept"
            assert await frames.keep(into) == into
        names = [step["file"] for step in index(into)]
        assert names == [
            "0001-before_send-1.png",
            "0002-after_send-1_click_search.png",
            "0002-after_send-1_click_search.png",
        ]
        assert [read_png(into / name) for name in names] == shown
        assert {path.name for path in into.iterdir()} == {*names, INDEX}
        assert list(own.iterdir()) == [], "dropped"

    on_display(body)


@settings(max_examples=60)
@given(st.lists(st.none() | st.integers(0, 2), max_size=12), st.integers(1, 5))
def test_the_last_steps_have_their_pictures_and_no_other_is_left(
    tmp_path_factory: pytest.TempPathFactory, script: list[int | None], limit: int
) -> None:
    folder = tmp_path_factory.mktemp("frames")
    own, into = folder / "own", folder / "into"
    own.mkdir()

    async def main() -> None:
        async with kept(Reel(*script), own, limit) as frames:
            for number in range(len(script)):
                await frames.take(f"step {number}", timeout=FAR_S)
            await frames.keep(into)
            steps = index(into)
            files = {step["file"] for step in steps} - {None}
            left = {path.name for one in own.iterdir() for path in one.iterdir()}
        assert left == files, "what no step shows any more is gone from the folder"
        assert {path.name for path in into.iterdir()} == files | {INDEX}
        last = list(enumerate(script, 1))[-limit:]
        assert [step["number"] for step in steps] == [number for number, _ in last]
        for step, (number, shown) in zip(steps, last, strict=True):
            assert step["label"] == f"step {number - 1}"
            if shown is None:
                assert step["file"] is None
                assert step["error"] == "BlankFrameError: nothing is shown"
            else:
                assert read_png(into / step["file"]) == made(3, 2, shown)
        changes = [one for one in script if one is not None]
        runs = sum(one != before for one, before in zip(changes, [None, *changes], strict=False))
        if len(script) <= limit:
            assert len(files) == runs, "a picture like the last one is stored once"
        assert not list(own.iterdir())

    asyncio.run(main())


def test_a_run_of_many_steps_waits_for_room(tmp_path: Path) -> None:
    async def main() -> None:
        async with kept(Reel(*range(PENDING * 4)), tmp_path) as frames:
            for number in range(PENDING * 4):
                await frames.take(str(number), timeout=FAR_S)
            assert len(frames.steps) == PENDING * 4
            assert all(step.error is None for step in frames.steps)

    asyncio.run(main())


def test_a_server_that_hangs_or_dies_is_noted_and_breaks_nothing(tmp_path: Path) -> None:
    async def main() -> None:
        with own_xvfb() as server, canvas_on(server.address) as canvas:
            canvas.scatter(1)
            capture = await Capture.open(server.address, FAR_S)
            async with kept(capture, tmp_path) as frames:
                good = await frames.take("good", timeout=FAR_S)
                with stopped(server.pid):
                    hung = await frames.take("hung", timeout=0.2)
                canvas.clear(0)
                blank = await frames.take("blank", timeout=FAR_S)
                server.stop()
                dead = await frames.take("dead", timeout=FAR_S)
                await frames.keep(tmp_path / "into")
            await capture.close()
        assert good.error is None
        assert [(step.file, bool(step.error)) for step in (hung, blank, dead)] == [(None, True)] * 3
        assert blank.error is not None
        assert blank.error.startswith("BlankFrameError: ")
        assert dead.error is not None
        assert dead.error.startswith("DisplayDiedError: ")
        told = index(tmp_path / "into")
        assert [step["label"] for step in told] == ["good", "hung", "blank", "dead"]

    asyncio.run(main())


def test_a_camera_that_is_stuck_is_over_at_the_deadline(tmp_path: Path) -> None:
    async def main() -> None:
        async with kept(Stuck(PENDING + 1), tmp_path) as frames:
            for _ in range(PENDING + 1):
                step = await frames.take("stuck", timeout=0.01)
                assert step.error == "there was no picture in 0.01 s"
            step = await frames.take("free", timeout=FAR_S)
            assert (step.file, step.error) == (f"{PENDING + 2:04d}-free.png", None)

    asyncio.run(main())


def test_a_picture_that_was_never_written_is_told(tmp_path: Path) -> None:
    async def main() -> None:
        async with kept(Reel(1), tmp_path / "nowhere") as frames:
            await frames.take("one", timeout=FAR_S)
            await frames.keep(tmp_path / "into")
        (step,) = index(tmp_path / "into")
        assert step["file"] is None
        assert step["error"].startswith("it could not be written: ")

    asyncio.run(main())


def test_a_place_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")

    async def main() -> None:
        async with kept(Reel(1), tmp_path) as frames:
            await frames.take("one", timeout=FAR_S)
            with pytest.raises(OSError, match=r"Not a directory|File exists"):
                await frames.keep(tmp_path / "file" / "into")

    asyncio.run(main())


def test_keeping_has_a_deadline(tmp_path: Path) -> None:
    async def main() -> None:
        async with kept(Reel(1), tmp_path) as frames:
            await frames.take("one", timeout=FAR_S)
            with pytest.raises(DeadlineError):
                await frames.keep(tmp_path / "into", timeout=0)

    asyncio.run(main())


def test_after_it_was_dropped_a_step_is_noted_only(address: DisplayAddress, tmp_path: Path) -> None:
    async def main() -> None:
        frames = Frames(Reel(1, 2), tmp_path)
        await frames.take("one", timeout=FAR_S)
        await frames.drop()
        await frames.drop()
        step = await frames.take("two", timeout=FAR_S)
        assert (step.file, step.error) == (None, "the frames of this run have been dropped")

    asyncio.run(main())
    assert list(tmp_path.iterdir()) == []
