"""A display for the tests of a module, and a stand-in on it for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from standin_kit import Standin, standin
from windtunnel.wechat.accesses import NoAccesses
from windtunnel.wechat.database import Database
from windtunnel.wechat.screen import Screen
from windtunnel.wechat.surface import Surface
from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.standin.log import Log


@pytest.fixture(scope="module")
def address() -> Iterator[DisplayAddress]:
    """Give the address of a display that lives as long as the module's tests."""
    server = Xvfb.start()
    try:
        yield server.address
    finally:
        server.stop()


@pytest.fixture
def app(address: DisplayAddress, tmp_path: Path) -> Iterator[Standin]:
    """Give a stand-in that is logged in, with alice's session open and the focus nowhere."""
    with standin(address, tmp_path, "--first", "--session", "alice") as made:
        yield made


@pytest.fixture
def surface() -> Any:
    """Give the state machine by itself: logged in, at its chats, nothing open."""
    quiet = NoAccesses()
    return Surface(
        Screen(quiet, window=True, raised=True, login="logged_in"), Database(quiet), Log(None)
    )
