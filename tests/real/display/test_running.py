"""The one face: both kinds of display have it."""

from __future__ import annotations

from windtunnel_real.display.attached import Attached
from windtunnel_real.display.running import RunningDisplay
from windtunnel_real.display.xvfb import Xvfb


def told(display: RunningDisplay) -> tuple[str, tuple[int, int], bool]:
    return (
        display.address.name,
        (display.screen.width, display.screen.height),
        display.alive(),
    )


def test_a_display_of_our_own_and_one_attached_to_look_the_same(xvfb: Xvfb) -> None:
    attached = Attached.to(xvfb.address.name, xvfb.address.authority, 60)
    try:
        assert isinstance(xvfb, RunningDisplay)
        assert isinstance(attached, RunningDisplay)
        assert told(attached) == told(xvfb) == (xvfb.address.name, (1280, 800), True)
    finally:
        attached.stop()
    assert not attached.alive()
