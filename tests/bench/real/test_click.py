"""What a click costs against an xdotool process for each, which is what bridges do today.

A click is what the desktop has the driver do: the connection's thread asked, held keys looked for,
the pointer moved, the button pressed and released, the server's word that it has taken it all. An
xdotool is started as cheaply as Python can. They take turns, as ratios, so that it depends little
on the machine.
"""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import time
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from statistics import median

import pytest

from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.drivers.driver import Driver
from windtunnel_real.drivers.xdotool_pipe import pipe_driver
from windtunnel_real.drivers.xtest import XTestDriver
from windtunnel_real.x11.connection import Connection
from windtunnel_real.x11.pointer import released
from x11_kit import FAR_S, own_display

pytestmark = pytest.mark.bench

PLACE = (640, 400)
TURNS = 9
GATE = 0.8
PROCESS_BAR, DEFAULTS_BAR = 12.0, 200.0
"""Against an xdotool per click with `--delay 0`, and with its own delays (100 ms after a click)."""


@dataclass(frozen=True)
class Clicking:
    """A display, two drivers that click on it, and the loop that they live in."""

    server: Xvfb
    connection: Connection
    xtest: Driver
    pipe: Driver
    loop: asyncio.AbstractEventLoop

    def by(self, driver: Driver, count: int) -> list[float]:
        """Return the seconds of each of `count` clicks by a driver of ours."""

        async def body() -> list[float]:
            return [await timed(lambda: driver.click(*PLACE, timeout=FAR_S)) for _ in range(count)]

        return self.loop.run_until_complete(body())

    def seen_out(self, count: int) -> list[float]:
        """Return the seconds of each of `count` clicks, each waited for until its button is up."""

        async def click() -> None:
            await self.xtest.click(*PLACE, timeout=FAR_S)
            await released(self.connection, FAR_S)

        async def body() -> list[float]:
            return [await timed(click) for _ in range(count)]

        return self.loop.run_until_complete(body())

    def by_process(self, count: int, *delay: str) -> list[float]:
        """Return the seconds of each of `count` clicks by a process of its own."""
        x, y = map(str, PLACE)
        command = ["xdotool", "mousemove", x, y, "click", *delay, "1"]
        environment = {**os.environ, **self.server.address.environment()}
        found = []
        for _ in range(count):
            began = time.perf_counter()
            subprocess.run(command, env=environment, check=True, timeout=FAR_S)
            found.append(time.perf_counter() - began)
        return found


async def timed(call: Callable[[], Awaitable[None]]) -> float:
    began = time.perf_counter()
    await call()
    return time.perf_counter() - began


@pytest.fixture
def clicking() -> Iterator[Clicking]:
    with own_display() as server, asyncio.Runner() as runner:
        connection = runner.run(Connection.open(server.address, FAR_S))
        xtest, pipe = XTestDriver(connection), pipe_driver(server.address)
        yield Clicking(server, connection, xtest, pipe, runner.get_loop())
        for let_go in (pipe.close, xtest.close, connection.close):
            runner.run(let_go())


def told(ratio: float, bar: float) -> str:
    reached = "reached" if ratio >= bar else "MISSED"
    return f"{ratio:.0f} × (bar {bar:g}: {reached}; gate {bar * GATE:g})"


def test_a_click_costs_a_fraction_of_an_xdotool_process(
    clicking: Clicking, figure: Callable[[str], None]
) -> None:
    """The first turn warms up and does not count."""
    gc.collect()
    turns = [
        (
            median(clicking.by(clicking.xtest, 20)),
            median(clicking.seen_out(20)),
            median(clicking.by(clicking.pipe, 20)),
            median(clicking.by_process(5, "--delay", "0")),
            median(clicking.by_process(1)),
        )
        for _ in range(TURNS)
    ]
    ours, out, pipe, process, defaults = (median(times) for times in zip(*turns[1:], strict=True))
    report = (
        f"a click: {ours * 1e3:.2f} ms, {out * 1e3:.2f} ms until its button is seen to be up; one "
        f"xdotool kept open {pipe * 1e3:.2f} ms; an xdotool process with --delay 0 "
        f"{process * 1e3:.1f} ms, {told(process / ours, PROCESS_BAR)}; with its own delays "
        f"{defaults * 1e3:.0f} ms, {told(defaults / ours, DEFAULTS_BAR)}"
    )
    figure(report)
    assert process / ours >= PROCESS_BAR * GATE, report
    assert defaults / ours >= DEFAULTS_BAR * GATE, report
