"""Displays for the tests of the real world.

A machine without Xvfb fails them, with the line that installs it: a display that is missing is
never a green test.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from windtunnel_real.display.xvfb import Xvfb


@pytest.fixture(scope="module")
def xvfb() -> Iterator[Xvfb]:
    """Give a display that the tests of one module share: windows and focus are theirs to mend."""
    display = Xvfb.start(timeout=60)
    try:
        yield display
    finally:
        display.stop()


@pytest.fixture
def fresh_xvfb() -> Iterator[Xvfb]:
    """Give a display of one test alone, which it may stop, kill or spoil."""
    display = Xvfb.start(timeout=60)
    try:
        yield display
    finally:
        display.stop()
