"""The film: before and after each step, kept where it is wanted, and only the newest."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from PIL import Image

from display_kit import stopped
from run_kit import desktop_of, machine_of, own_place, run, server_of, world_of
from windtunnel.errors import BridgeError
from windtunnel.ports import Frame
from windtunnel.world import Keep, RunEnd, WorldOptions
from windtunnel_real.machine.filming import Film
from windtunnel_real.pictures import png, shelf
from windtunnel_real.world import RealWorld


@pytest.fixture(autouse=True)
def _its_own_place() -> Iterator[None]:
    with own_place():
        yield


def filmed(keep: Keep, folder: Path) -> RealWorld:
    return world_of(options=WorldOptions(frames=keep, frames_folder=str(folder)))


async def search(world: RealWorld) -> None:
    await desktop_of(world).click("search")
    await desktop_of(world).type_text("张三")


def test_each_step_is_told_with_what_was_seen_before_and_after(tmp_path: Path) -> None:
    world = filmed("failed", tmp_path)
    assert run(world, search) == RunEnd("finished")
    kept = Path(world.keep("a-run", failed=True))
    assert kept == tmp_path / "a-run"
    steps = json.loads((kept / "frames.json").read_text("utf-8"))["steps"]
    assert [step["label"] for step in steps] == [
        "before op click",
        "after op click",
        "before op type_text",
        "after op type_text",
    ]
    files = {step["file"] for step in steps}
    assert {file.name for file in kept.glob("*.png")} == files
    assert steps[0]["file"] != steps[1]["file"]
    assert steps[1]["file"] == steps[2]["file"]
    for file in files:
        with Image.open(kept / file) as picture:
            picture.load()
            assert picture.size == (1280, 800)
    assert world.keep("a-run", failed=True) == ""


@pytest.mark.parametrize(
    ("keep", "failed", "is_kept"),
    [
        ("failed", True, True),
        ("failed", False, False),
        ("all", False, True),
        ("all", True, True),
        ("none", True, False),
    ],
)
def test_it_is_kept_as_the_options_say(
    tmp_path: Path, keep: Keep, *, failed: bool, is_kept: bool
) -> None:
    world = filmed(keep, tmp_path / "deep" / "frames")
    assert run(world, search) == RunEnd("finished")
    assert bool(world.keep("run", failed=failed)) == is_kept
    assert bool(list(tmp_path.rglob("frames.json"))) == is_kept
    assert (tmp_path / "deep").exists() == is_kept


def test_a_second_run_of_that_name_takes_the_place_of_the_first(tmp_path: Path) -> None:
    async def more(world: RealWorld) -> None:
        await search(world)
        await desktop_of(world).key("Escape")

    kept = tmp_path / "run"
    for body in (more, search):
        world = filmed("all", tmp_path)
        run(world, body)
        kept.mkdir(exist_ok=True)
        (kept / "mine.txt").write_text("kept", encoding="utf-8")
        assert world.keep("run", failed=False) == str(kept)
    steps = json.loads((kept / "frames.json").read_text("utf-8"))["steps"]
    assert len(steps) == 4
    assert {file.name for file in kept.iterdir()} == {
        "frames.json",
        "mine.txt",
        *(step["file"] for step in steps),
    }


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"steps": [{"file": 1}]}', '{"steps": 3}'])
def test_an_index_that_is_not_ours_leads_to_no_removal(tmp_path: Path, text: str) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "frames.json").write_text(text, encoding="utf-8")
    (tmp_path / "run" / "1").write_text("not ours", encoding="utf-8")
    world = filmed("all", tmp_path)
    run(world, search)
    assert world.keep("run", failed=False)
    assert (tmp_path / "run" / "1").exists()
    assert json.loads((tmp_path / "run" / "frames.json").read_text("utf-8"))["steps"]


@pytest.mark.parametrize("folder", ["/proc/frames", "file/frames"])
def test_a_folder_that_cannot_be_written_to_is_told_and_nothing_is_left(
    tmp_path: Path, folder: str
) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    world = filmed("all", tmp_path / folder)
    run(world, search)
    with pytest.raises(OSError, match="frames"):
        world.keep("run", failed=True)


def test_a_display_that_does_not_answer_is_noted_and_costs_little(tmp_path: Path) -> None:
    async def body(world: RealWorld) -> None:
        with stopped(server_of(world)), pytest.raises(BridgeError, match="given up after 5 s"):
            await desktop_of(world).click("search")
        await desktop_of(world).click("search")

    world = filmed("all", tmp_path)
    assert run(world, body) == RunEnd("finished")
    kept = Path(world.keep("run", failed=False))
    steps = json.loads((kept / "frames.json").read_text("utf-8"))["steps"]
    assert [bool(step["error"]) for step in steps] == [True, True, False, False]


def test_pictures_that_are_still_to_be_written_at_the_end_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The loop of the run is over by then, and nobody complains of that."""

    def slowly(frame: Frame) -> bytes:
        asyncio.run(asyncio.sleep(0.3))
        return png.encode(frame)

    monkeypatch.setattr(shelf, "encode", slowly)
    world = filmed("all", tmp_path)
    with caplog.at_level(logging.WARNING):
        assert run(world, search) == RunEnd("finished")
        kept = Path(world.keep("run", failed=False))
    assert len(list(kept.glob("*.png"))) == 3
    assert not caplog.records


def test_a_film_of_a_run_that_nobody_judges_leaves_nothing(tmp_path: Path) -> None:
    async def body(world: RealWorld) -> None:
        film = Film(machine_of(world).sight.capture, "all", tmp_path)
        films.append(film)

    films: list[Film] = []
    run(world_of(), body)
    (film,) = films
    assert Path(film.keep("run", failed=False), "frames.json").is_file()
