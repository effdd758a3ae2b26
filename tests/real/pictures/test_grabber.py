"""The grabber: pixels as the server has them, through shared memory and without."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mss.linux.xshmgetimage import ShmStatus
from Xlib.ext import randr

from pictures_kit import FAR_S, Canvas, bare_xvfb, canvas_on, cut, made, own_xvfb, stopped
from windtunnel.ports import Region
from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.errors import DisplayDiedError, DisplayStartError, InputError
from windtunnel_real.pictures.grabber import Grabber

WHOLE = Region(0, 0, 320, 200)


@pytest.fixture(scope="module")
def grabber(address: DisplayAddress) -> Iterator[Grabber]:
    with closing(Grabber(address, FAR_S)) as found:
        yield found


def test_the_memory_is_shared(grabber: Grabber) -> None:
    assert grabber.shared
    assert grabber._mss.shm_status is ShmStatus.AVAILABLE
    assert grabber._mss.performance_status == ["MIT-SHM is working correctly."]


def test_the_whole_display_is_as_python_xlib_reads_it(grabber: Grabber, canvas: Canvas) -> None:
    canvas.scatter(1)
    frame = grabber.grab(None)
    assert (frame.width, frame.height) == (320, 200)
    assert frame.pixels == canvas.seen(WHOLE)


def test_a_server_without_shared_memory_gives_the_same() -> None:
    with bare_xvfb("-extension", "MIT-SHM") as address, canvas_on(address) as canvas:
        canvas.scatter(1)
        with closing(Grabber(address, FAR_S)) as grabber:
            assert not grabber.shared
            assert grabber.grab(None).pixels == canvas.seen(WHOLE)
            part = Region(17, 23, 101, 59)
            assert grabber.grab(part).pixels == canvas.seen(part)


def test_a_frame_stays_as_it_was(grabber: Grabber, canvas: Canvas) -> None:
    """The memory that is shared goes on changing."""
    canvas.scatter(2)
    frame = grabber.grab(None)
    before = canvas.seen(WHOLE)
    canvas.scatter(3)
    grabber.grab(None)
    assert frame.pixels == before


def test_the_unused_byte_is_nothing_whatever_was_drawn(grabber: Grabber, canvas: Canvas) -> None:
    drawn = made(40, 30, *(0x7F000000 | colour for colour in range(1200)))
    canvas.put(drawn, 10, 20)
    frame = grabber.grab(Region(10, 20, 40, 30))
    assert frame == made(40, 30, *range(1200))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(-5, 330), st.integers(-5, 210), st.integers(-1, 330), st.integers(-1, 210))
def test_a_region_is_that_part_or_is_refused(
    grabber: Grabber, canvas: Canvas, x: int, y: int, width: int, height: int
) -> None:
    region = Region(x, y, width, height)
    inside = min(width, height) > 0 and min(x, y) >= 0 and x + width <= 320 and y + height <= 200
    if inside:
        canvas.scatter(x, 3)
        assert grabber.grab(region) == cut(grabber.grab(None), region)
    else:
        with pytest.raises(InputError, match="does not lie on the display, which has 320×200"):
            grabber.grab(region)


@given(st.integers(0, 319), st.integers(0, 199), st.data())
def test_every_region_inside_is_given(
    grabber: Grabber, x: int, y: int, data: st.DataObject
) -> None:
    width, height = data.draw(st.integers(1, 320 - x)), data.draw(st.integers(1, 200 - y))
    region = Region(x, y, width, height)
    assert grabber.grab(region) == cut(grabber.grab(None), region)


def test_dots_per_inch_do_not_matter() -> None:
    """A server says 100 by itself; pixels are pixels."""
    found = []
    for dpi in ("96", "100", "192"):
        with bare_xvfb("-dpi", dpi) as address, canvas_on(address) as canvas:
            canvas.scatter(4)
            with closing(Grabber(address, FAR_S)) as grabber:
                found.append(grabber.grab(None))
    assert found[0] == found[1] == found[2]


def resize(canvas: Canvas, width: int, height: int) -> None:
    """Change the display's size as a desktop does whose window is resized (RandR)."""
    info: Any = canvas.display.screen()
    randr.query_version(canvas.display)
    resources = canvas.root.xrandr_get_screen_resources()
    (crtc,) = resources.crtcs
    canvas.display.xrandr_set_crtc_config(crtc, resources.config_timestamp, 0, 0, 0, 1, [])
    canvas.root.xrandr_set_screen_size(width, height, info.width_in_mms, info.height_in_mms)
    canvas.display.sync()


def test_a_display_that_changes_its_size_is_followed() -> None:
    with own_xvfb() as server, canvas_on(server.address) as canvas:
        resize(canvas, 100, 80)
        with closing(Grabber(server.address, FAR_S)) as grabber:
            for width, height in [(100, 80), (320, 200), (160, 90)]:
                resize(canvas, width, height)
                canvas.scatter(width)
                frame = grabber.grab(None)
                assert (frame.width, frame.height) == (width, height)
                assert frame.pixels == canvas.seen(Region(0, 0, width, height))
                assert grabber.shared


def test_two_displays_are_kept_apart(address: DisplayAddress, canvas: Canvas) -> None:
    with own_xvfb() as other, canvas_on(other.address) as elsewhere:
        canvas.clear(0x112233)
        elsewhere.clear(0x445566)
        before = dict(os.environ)
        with closing(Grabber(address, FAR_S)) as one, closing(Grabber(other.address, FAR_S)) as two:
            assert one.grab(None) == made(320, 200, 0x112233)
            assert two.grab(None) == made(320, 200, 0x445566)
        assert dict(os.environ) == before


def test_a_server_that_dies_is_told_by_type() -> None:
    with own_xvfb() as server, closing(Grabber(server.address, FAR_S)) as grabber:
        server.stop()
        for _ in range(2):
            with pytest.raises(DisplayDiedError, match="is gone"):
                grabber.grab(None)


def test_after_it_was_closed_it_says_so(address: DisplayAddress) -> None:
    grabber = Grabber(address, FAR_S)
    grabber.close()
    grabber.close()
    grabber.interrupt()
    with pytest.raises(InputError, match="is closed"):
        grabber.grab(None)


def test_what_it_holds_is_given_back(address: DisplayAddress) -> None:
    Grabber(address, FAR_S).close()
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(5):
        Grabber(address, FAR_S).close()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_no_display_is_told() -> None:
    with pytest.raises(DisplayStartError):
        Grabber(DisplayAddress(":9999"), FAR_S)


def test_a_wrong_cookie_is_told(address: DisplayAddress, tmp_path: Path) -> None:
    empty = tmp_path / "authority"
    empty.write_bytes(b"")
    with pytest.raises(DisplayStartError):
        Grabber(DisplayAddress(address.name, empty), FAR_S)


def test_a_stopped_server_keeps_nobody_waiting(address: DisplayAddress) -> None:
    """Nor another display."""
    with own_xvfb() as server, stopped(server.pid):
        with pytest.raises(DisplayStartError, match="does not answer"):
            Grabber(server.address, 0.2)
        with closing(Grabber(address, FAR_S)) as grabber:
            assert grabber.shared


def test_a_display_of_few_colours_cannot_be_captured() -> None:
    with (
        bare_xvfb("-noreset", screen="320x200x16") as address,
        pytest.raises(DisplayStartError, match=r"cannot be captured: .*depth 24 or 32.*not 16"),
    ):
        Grabber(address, FAR_S)
