"""A display for each file of tests, and the trial window on it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from doctor_kit import FAR_S
from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.display.xvfb import Xvfb


@pytest.fixture(scope="module")
def server() -> Iterator[Xvfb]:
    """Give a display of our own."""
    server = Xvfb.start(timeout=FAR_S)
    try:
        yield server
    finally:
        server.stop()


@pytest.fixture
def address(server: Xvfb) -> DisplayAddress:
    """Give its address."""
    return server.address
