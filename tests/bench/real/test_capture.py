"""What a picture of a display costs against the other ways to get one.

A picture is what a caller gets: through the thread, with the unused bytes cleared and looked at
for blankness. The others give less (python-xlib does none of that, scrot's PNG is not decoded) and
are measured in turns with it, as ratios, so that it depends little on the machine. The speed of
finding is measured against a search that numpy does pixel by pixel.
"""

from __future__ import annotations

import asyncio
import gc
import io
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from statistics import median

import numpy as np
import pytest
from PIL import Image
from Xlib import X

from pictures_kit import FAR_S, Canvas, canvas_on, cut
from windtunnel.ports import Frame, Region
from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.pictures.capture import Capture
from windtunnel_real.pictures.finding import find
from windtunnel_real.pictures.pixels import Colours, raw
from windtunnel_real.pictures.png import encode

pytestmark = pytest.mark.bench

SIZE = (1280, 800)
TURNS, IN_A_ROW = 7, 5
GATE = 0.8
XLIB_BAR, SCROT_BAR = 8.0, 30.0
PNG_BAR = 1.8
FIND_BAR = 100.0
BUTTON = Region(701, 523, 60, 24)
WINDOW = Region(0, 0, 800, 560)


@dataclass(frozen=True)
class Scene:
    """A display that shows something, and what takes pictures of it."""

    server: Xvfb
    canvas: Canvas
    capture: Capture
    loop: asyncio.AbstractEventLoop

    def ours(self) -> Frame:
        return self.loop.run_until_complete(self.capture.take(timeout=FAR_S))

    def xlib(self) -> bytes:
        image = self.canvas.root.get_image(0, 0, *SIZE, X.ZPixmap, 0xFFFFFFFF)
        return bytes(image.data)

    def scrot(self) -> bytes:
        return subprocess.run(
            ["scrot", "--silent", "-"],
            env=self.server.address.environment(),
            stdout=subprocess.PIPE,
            check=True,
            timeout=FAR_S,
        ).stdout


@pytest.fixture(scope="module")
def scene() -> Iterator[Scene]:
    server = Xvfb.start(SIZE, timeout=FAR_S)
    loop = asyncio.new_event_loop()
    try:
        with canvas_on(server.address) as canvas:
            canvas.scatter(1, 400)
            capture = loop.run_until_complete(Capture.open(server.address, FAR_S))
            yield Scene(server, canvas, capture, loop)
            loop.run_until_complete(capture.close())
    finally:
        loop.close()
        server.stop()


def medians(*programs: Callable[[], object]) -> list[float]:
    """Return the seconds of each program's median call; they take turns of some calls in a row.

    One call in a row would measure the memory that the program before it has just given back.
    """
    gc.collect()
    rounds = [
        [median(timed(program) for _ in range(IN_A_ROW)) for program in programs]
        for _ in range(TURNS)
    ]
    return [median(times) for times in zip(*rounds, strict=True)]


def timed(program: Callable[[], object]) -> float:
    began = time.perf_counter()
    program()
    return time.perf_counter() - began


def told(ratio: float, bar: float) -> str:
    reached = "reached" if ratio >= bar else "MISSED"
    return f"{ratio:.1f} × (bar {bar:g}: {reached}; gate {bar * GATE:.1f})"


def test_a_picture_costs_a_fraction_of_the_other_ways(
    scene: Scene, figure: Callable[[str], None]
) -> None:
    assert scene.capture.shared
    assert scene.ours().pixels[:4096] == scene.xlib()[:4096]
    ours, xlib, scrot = medians(scene.ours, scene.xlib, scene.scrot)
    report = (
        f"a picture of {SIZE[0]}×{SIZE[1]}: {ours * 1e3:.2f} ms; "
        f"python-xlib's get_image {xlib * 1e3:.1f} ms, {told(xlib / ours, XLIB_BAR)}; "
        f"scrot {scrot * 1e3:.0f} ms, {told(scrot / ours, SCROT_BAR)}"
    )
    figure(report)
    assert xlib / ours >= XLIB_BAR * GATE, report
    assert scrot / ours >= SCROT_BAR * GATE, report


def test_a_png_costs_less_than_pillow_s(scene: Scene, figure: Callable[[str], None]) -> None:
    frame = scene.ours()

    def pillow() -> bytes:
        image = Image.frombuffer("RGB", SIZE, frame.pixels, "raw", "BGRX", 0, 1)
        written = io.BytesIO()
        image.save(written, "png", compress_level=1)
        return written.getvalue()

    ours, theirs = medians(lambda: encode(frame), pillow)
    report = (
        f"its PNG: {ours * 1e3:.1f} ms, {len(encode(frame)) // 1024} KiB; Pillow's at level 1 "
        f"{theirs * 1e3:.1f} ms, {len(pillow()) // 1024} KiB, {told(theirs / ours, PNG_BAR)}"
    )
    figure(report)
    assert theirs / ours >= PNG_BAR * GATE, report


def everywhere(searched: Colours, looked_for: Colours) -> int:
    """Compare every pixel of the picture at every place: the reference."""
    height, width = looked_for.shape
    rows, columns = searched.shape[0] - height + 1, searched.shape[1] - width + 1
    same = np.ones((rows, columns), np.bool_)
    for y in range(height):
        for x in range(width):
            same &= searched[y : y + rows, x : x + columns] == looked_for[y, x]
    return int(np.flatnonzero(same)[0])


def test_a_button_is_found_in_a_fraction_of_a_search_everywhere(
    scene: Scene, figure: Callable[[str], None]
) -> None:
    frame = cut(scene.ours(), WINDOW)
    button = cut(frame, BUTTON)
    assert find(frame, button) == (BUTTON.x, BUTTON.y)
    (ours,) = medians(lambda: find(frame, button))
    began = time.perf_counter()
    place = everywhere(raw(frame), raw(button))
    theirs = time.perf_counter() - began
    assert divmod(place, WINDOW.width - BUTTON.width + 1) == (BUTTON.y, BUTTON.x)
    report = (
        f"a picture of {BUTTON.width}×{BUTTON.height} found in {WINDOW.width}×{WINDOW.height}: "
        f"{ours * 1e3:.2f} ms; everywhere {theirs * 1e3:.0f} ms, {told(theirs / ours, FIND_BAR)}"
    )
    figure(report)
    assert theirs / ours >= FIND_BAR * GATE, report
