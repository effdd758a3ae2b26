"""The try-out: what shows and what does not, what arrives and what does not."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from doctor_kit import FAR_S, server_as_told, write_program
from windtunnel.ports import Frame, Region
from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.doctor import try_out
from windtunnel_real.doctor.seen import Seen
from windtunnel_real.doctor.try_out import PLACE, Trial, cut, shown_in, window_shown
from windtunnel_real.pictures.capture import Capture
from windtunnel_real.x11.connection import Connection
from windtunnel_real.x11.xlib import X, XDisplay, event

Probe = Callable[[Trial], Awaitable[Seen]]


def try_on(address: DisplayAddress, probe: Probe) -> Seen:
    """Show the window and run one probe."""

    async def run() -> Seen:
        async with window_shown(address) as trial:
            return await probe(trial)

    return asyncio.run(run())


@pytest.mark.parametrize("kind", try_out.PROBES)
def test_all_is_well_on_a_display_of_ours(kind: str, address: DisplayAddress) -> None:
    assert try_on(address, try_out.PROBES[kind]).state == "ok"


def test_the_window_is_gone_and_the_pointer_where_it_was(address: DisplayAddress) -> None:
    place: list[tuple[int, int]] = []

    def look(display: XDisplay) -> Seen:
        found = display.screen().root.query_pointer()
        place.append((found.root_x, found.root_y))
        return Seen("ok", str(len(display.screen().root.query_tree().children)))

    async def clicked(trial: Trial) -> Seen:
        before = await trial.connection.call(look, FAR_S)
        assert before.text == "1"
        seen = await try_out.click(trial)
        await trial.connection.call(look, FAR_S)
        return seen

    async def after() -> Seen:
        connection = await Connection.open(address, FAR_S)
        seen = await connection.call(look, FAR_S)
        await connection.close()
        return seen

    assert try_on(address, clicked).state == "ok"
    assert place[0] == place[1]
    assert asyncio.run(after()).text == "0"


def test_memory_that_is_not_shared() -> None:
    with server_as_told("-ac", "-extension", "MIT-SHM") as (name, _):
        address = DisplayAddress(name)
        assert try_on(address, try_out.shared_memory).state == "warn"
        assert try_on(address, try_out.capture).state == "ok"


def test_a_display_that_cannot_be_captured_is_told_once() -> None:
    with server_as_told("-ac", "-screen", "0", "640x480x16") as (name, _):
        assert try_on(DisplayAddress(name), try_out.shared_memory).state == "unseen"


def test_a_picture_without_the_window(
    address: DisplayAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def black(_: Capture, region: Region | None = None, *, timeout: float) -> Frame:
        del timeout
        width, height = (region.width, region.height) if region else (1280, 800)
        return Frame(width, height, bytes(4 * width * height))

    monkeypatch.setattr(Capture, "take", black)
    monkeypatch.setattr(try_out, "_PATIENCE_S", 0.1)

    async def of_one() -> Seen:  # the patience is for the picture: the window has long been shown
        trial = Trial(_Elsewhere(address), None, asyncio.Queue())  # type: ignore[arg-type]
        monkeypatch.setattr(try_out, "_capture", lambda _: _Opened())
        return await try_out.capture(trial)

    class _Opened:
        async def __aenter__(self) -> Capture:
            return Capture(address)

        async def __aexit__(self, *_: object) -> None:
            return None

    assert asyncio.run(of_one()).state == "bad"


class _Elsewhere:
    def __init__(self, address: DisplayAddress) -> None:
        self.address = address


def test_a_click_that_somebody_else_takes(
    address: DisplayAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cover(display: XDisplay) -> None:
        window = display.screen().root.create_window(
            0, 0, 200, 200, 0, X.CopyFromParent,
            event_mask=X.ButtonPressMask, override_redirect=True,
        )  # fmt: skip
        window.map()

    async def clicked(trial: Trial) -> Seen:
        another = await Connection.open(address, FAR_S)
        await another.call(cover, FAR_S)
        monkeypatch.setattr(try_out, "_PATIENCE_S", 0.3)
        seen = await try_out.click(trial)
        monkeypatch.undo()
        await another.close()
        return seen

    assert try_on(address, clicked).state == "bad"


def test_a_click_that_is_marked_as_synthetic(
    address: DisplayAddress, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def clicked(trial: Trial) -> Seen:
        def send(display: XDisplay) -> None:
            trial.window.send_event(
                event.ButtonPress(
                    time=0, root=display.screen().root, window=trial.window, child=X.NONE,
                    root_x=0, root_y=0, event_x=0, event_y=0, state=0, same_screen=1, detail=1,
                )
            )  # fmt: skip

        monkeypatch.setattr(try_out, "_click", send)
        return await try_out.click(trial)

    seen = try_on(address, clicked)
    assert (seen.state, seen.text) == ("bad", "it is marked as synthetic")


@pytest.mark.parametrize(
    ("script", "state"), [(None, "unseen"), ("exit 2", "warn"), ("exec sleep 1000", "warn")]
)
def test_a_scrot_that_is_missing_fails_or_hangs(
    script: str | None,
    state: str,
    address: DisplayAddress,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    async def with_another(trial: Trial) -> Seen:
        if script is not None:
            write_program(tmp_path, "scrot", script)
        monkeypatch.setenv("PATH", str(tmp_path) if script is None else f"{tmp_path}:/usr/bin:/bin")
        monkeypatch.setattr(try_out, "_PATIENCE_S", 0.5)
        try:
            return await try_out.by_scrot(trial)
        finally:
            monkeypatch.undo()

    assert try_on(address, with_another).state == state


def test_a_part_of_a_picture_is_cut_out() -> None:
    draw = random.Random(7)
    whole = Frame(9, 7, draw.randbytes(4 * 9 * 7))
    part = cut(whole, Region(2, 3, 4, 2))
    rows = [whole.pixels[4 * (9 * y + 2) : 4 * (9 * y + 6)] for y in (3, 4)]
    assert part == Frame(4, 2, b"".join(rows))


def test_a_colour_is_shown_throughout_or_not() -> None:
    pixel = try_out.COLOUR.to_bytes(3, "little") + b"\0"
    count = PLACE.width * PLACE.height
    assert shown_in(Frame(PLACE.width, PLACE.height, pixel * count))
    other = pixel * (count - 1) + b"\1" + pixel[1:]
    assert not shown_in(Frame(PLACE.width, PLACE.height, other))
