"""The capture: pictures within a deadline, whatever the server does."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from pictures_kit import FAR_S, Canvas, canvas_on, made, own_xvfb, stopped, until
from windtunnel.ports import Frame, Region
from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.errors import (
    BlankFrameError,
    DeadlineError,
    DisplayDiedError,
    DisplayStartError,
    InputError,
)
from windtunnel_real.pictures.capture import Camera, Capture

SOON_S = 0.2
CORNER = Region(0, 0, 8, 8)


@asynccontextmanager
async def captured(address: DisplayAddress) -> AsyncIterator[Capture]:
    capture = await Capture.open(address, FAR_S)
    try:
        yield capture
    finally:
        await capture.close()


def threads(address: DisplayAddress) -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name == f"capture {address.name}"]


def test_it_takes_what_the_display_shows(address: DisplayAddress, canvas: Canvas) -> None:
    canvas.scatter(1)

    async def main() -> None:
        async with captured(address) as capture:
            assert isinstance(capture, Camera)
            assert (capture.address, capture.shared) == (address, True)
            frame = await capture.take(timeout=FAR_S)
            assert frame.pixels == canvas.seen(Region(0, 0, 320, 200))
            corner = await capture.take(CORNER, timeout=FAR_S)
            assert corner.pixels == canvas.seen(CORNER)

    asyncio.run(main())
    assert threads(address) == []


def test_a_blank_display_is_refused_and_its_parts_are_not(
    address: DisplayAddress, canvas: Canvas
) -> None:
    canvas.clear(0)

    async def main() -> None:
        async with captured(address) as capture:
            with pytest.raises(BlankFrameError, match=f"the display {address.name} shows one"):
                await capture.take(timeout=FAR_S)
            assert await capture.take(CORNER, timeout=FAR_S) == made(8, 8, 0)
            canvas.fill(0xFFFFFF, 100, 100, 1, 1)
            assert await capture.take(timeout=FAR_S) != made(320, 200, 0)

    asyncio.run(main())


def test_a_region_elsewhere_is_refused(address: DisplayAddress, canvas: Canvas) -> None:
    async def main() -> None:
        async with captured(address) as capture:
            with pytest.raises(InputError, match="does not lie on the display"):
                await capture.take(Region(300, 0, 30, 10), timeout=FAR_S)

    asyncio.run(main())


def test_a_stopped_server_ends_each_call_at_its_deadline_and_then_goes_on() -> None:
    async def main() -> None:
        with own_xvfb() as server, canvas_on(server.address) as canvas:
            canvas.scatter(1)
            async with captured(server.address) as capture:
                with stopped(server.pid):
                    for _ in range(2):
                        with pytest.raises(DeadlineError, match=r"was not over in 0\.\d+ s"):
                            await capture.take(timeout=SOON_S)
                canvas.scatter(2)
                frame = await capture.take(timeout=FAR_S)
                assert frame.pixels == canvas.seen(Region(0, 0, 320, 200)), "nothing came late"

    asyncio.run(main())


def test_a_server_that_somebody_grabs_is_no_other(address: DisplayAddress, canvas: Canvas) -> None:
    canvas.scatter(1)

    async def main() -> None:
        async with captured(address) as capture:
            canvas.display.grab_server()
            canvas.display.sync()
            with pytest.raises(DeadlineError):
                await capture.take(timeout=SOON_S)
            with pytest.raises(DisplayStartError, match="another program holds it"):
                await Capture.open(address, SOON_S)
            canvas.display.ungrab_server()
            canvas.display.sync()
            await capture.take(timeout=FAR_S)

    asyncio.run(main())


def test_a_server_that_dies_ends_the_call_that_waits_for_it() -> None:
    """At once: the deadline would be another error."""

    async def main() -> None:
        with own_xvfb() as server:
            async with captured(server.address) as capture:
                os.kill(server.pid, signal.SIGSTOP)
                pending = asyncio.create_task(capture.take(timeout=FAR_S))
                with pytest.raises(DeadlineError):
                    await capture.take(timeout=SOON_S)
                assert not pending.done()
                os.kill(server.pid, signal.SIGKILL)
                for take in (pending, capture.take(timeout=FAR_S)):
                    with pytest.raises(DisplayDiedError):
                        await take

    asyncio.run(main())


def test_closing_breaks_off_what_is_stuck() -> None:
    async def main() -> None:
        with own_xvfb() as server:
            capture = await Capture.open(server.address, FAR_S)
            with stopped(server.pid):
                pending = asyncio.create_task(capture.take(timeout=FAR_S))
                await asyncio.sleep(0)
                await capture.close()
                await capture.close()
                with pytest.raises((DisplayDiedError, InputError)):
                    await pending
                await until(lambda: not threads(server.address))
                with pytest.raises(InputError, match="is closed"):
                    await capture.take(timeout=FAR_S)

    asyncio.run(main())


def test_a_display_that_is_not_there_leaves_no_thread() -> None:
    nowhere = DisplayAddress(":9999")

    async def main() -> None:
        with pytest.raises(DisplayStartError):
            await Capture.open(nowhere, FAR_S)
        await until(lambda: not threads(nowhere))

    asyncio.run(main())


def test_many_callers_at_once_are_served_one_by_one(
    address: DisplayAddress, canvas: Canvas
) -> None:
    canvas.scatter(1)

    async def main() -> list[Frame]:
        async with captured(address) as capture:
            return await asyncio.gather(*(capture.take(timeout=FAR_S) for _ in range(20)))

    found = asyncio.run(main())
    assert all(frame == found[0] for frame in found)


def test_no_picture_of_its_own_loop_is_needed(address: DisplayAddress, canvas: Canvas) -> None:
    """A capture may outlive the loop that it was opened in."""
    canvas.scatter(1)
    capture = asyncio.run(Capture.open(address, FAR_S))
    assert asyncio.run(capture.take(timeout=FAR_S)) == asyncio.run(capture.take(timeout=FAR_S))
    asyncio.run(capture.close())
    assert threads(address) == []
