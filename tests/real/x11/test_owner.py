"""The owner: a thread that ends when it is told to, and tells everybody why."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Iterator

import pytest

from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.errors import DisplayDiedError, DisplayStartError
from windtunnel_real.x11.jobs import Job
from windtunnel_real.x11.owner import Owner
from windtunnel_real.x11.xlib import XDisplay
from x11_kit import FAR_S, own_display, owners, stopped, until


@pytest.fixture(scope="module")
def server() -> Iterator[Xvfb]:
    with own_display() as made:
        yield made


def job(run: object = lambda _: None) -> Job:
    loop = asyncio.get_running_loop()
    return Job(run, "do it", time.monotonic() + FAR_S, loop, loop.create_future())  # type: ignore[arg-type]


def owner(address: DisplayAddress, ends: list[DisplayDiedError]) -> Owner:
    return Owner(address, on_event=None, on_trouble=None, on_end=ends.append)


async def started(address: DisplayAddress, ends: list[DisplayDiedError]) -> Owner:
    made = owner(address, ends)
    opening = job()
    made.start(opening)
    await opening.future
    return made


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - counted, not read


def test_it_does_jobs_in_order_then_ends_and_leaves_nothing_open(server: Xvfb) -> None:
    async def body() -> None:
        before = open_files()
        ends: list[DisplayDiedError] = []
        made = await started(server.address, ends)
        done: list[int] = []
        jobs = [job(lambda _, number=number: done.append(number)) for number in range(20)]
        for one in jobs:
            made.submit(one)
        await jobs[-1].future
        assert done == list(range(20))
        made.stop()
        await until(lambda: bool(ends))
        with pytest.raises(DisplayDiedError, match="closed here"):
            made.submit(job())
        made.stop()
        made.cut()
        await until(lambda: not owners(server.address))
        assert open_files() == before

    asyncio.run(body())


def test_cutting_ends_a_wait_for_the_server(server: Xvfb) -> None:
    async def body() -> None:
        ends: list[DisplayDiedError] = []
        made = await started(server.address, ends)
        with stopped(server.pid):
            waiting = job(lambda xdisplay: xdisplay.sync())
            made.submit(waiting)
            await until(lambda: waiting.begun)
            made.cut()
            with pytest.raises(DisplayDiedError, match="closed here"):
                await waiting.future
        await until(lambda: not owners(server.address))

    asyncio.run(body())


def test_one_that_cannot_open_ends_too() -> None:
    async def body() -> None:
        ends: list[DisplayDiedError] = []
        made = owner(DisplayAddress(":59999"), ends)
        opening = job()
        made.start(opening)
        with pytest.raises(DisplayStartError):
            await opening.future
        await until(lambda: bool(ends))
        assert made.ended is ends[0]

    asyncio.run(body())


def test_a_job_that_ends_the_thread_leaves_nobody_waiting(server: Xvfb) -> None:
    submitted = threading.Event()

    def breaks(xdisplay: XDisplay) -> None:
        assert submitted.wait(FAR_S)
        xdisplay.display.event_queue = None  # what the library does when it breaks

    async def body() -> None:
        ends: list[DisplayDiedError] = []
        made = await started(server.address, ends)
        jobs = [job(breaks), job(), job()]
        for one in jobs:
            made.submit(one)
        submitted.set()
        found = await asyncio.gather(*(one.future for one in jobs), return_exceptions=True)
        assert [type(one) for one in found[1:]] == [DisplayDiedError] * 2
        await until(lambda: bool(ends))
        assert "broke" in str(ends[0])

    asyncio.run(body())
