"""One display for each file of tests, with a canvas on it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pictures_kit import FAR_S, Canvas, canvas_on
from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.display.xvfb import Xvfb


@pytest.fixture(scope="module")
def address() -> Iterator[DisplayAddress]:
    """Give the address of a display of 320×200."""
    server = Xvfb.start((320, 200), timeout=FAR_S)
    try:
        yield server.address
    finally:
        server.stop()


@pytest.fixture
def canvas(address: DisplayAddress) -> Iterator[Canvas]:
    """Give its root window, black."""
    with canvas_on(address) as found:
        found.clear()
        yield found
