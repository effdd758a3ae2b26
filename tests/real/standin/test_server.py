"""The server: where it cannot be reached, and when it goes, is told by type."""

from __future__ import annotations

import gc

import pytest

from windtunnel_real.display.address import as_environment
from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.errors import DisplayDiedError, DisplayStartError
from windtunnel_real.standin.server import Server


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_no_display_is_told() -> None:
    with pytest.raises(DisplayStartError, match=":4242"):
        Server(":4242")
    gc.collect()  # python-xlib leaves the sockets that it tried to Python


def test_a_server_that_goes_is_told() -> None:
    display = Xvfb.start()
    try:
        with as_environment(display.address):
            server = Server()
        assert server.sync() in (True, False)
        assert server.atom("CLIPBOARD") == server.atom("CLIPBOARD")
    finally:
        display.stop()
    with pytest.raises(DisplayDiedError):
        server.sync()
    with pytest.raises(DisplayDiedError):
        server.next_event()


def test_events_that_came_with_an_answer_are_told_of() -> None:
    """They make the socket readable no more: who waits for it alone waits for ever."""
    display = Xvfb.start()
    try:
        with as_environment(display.address):
            server = Server()
        window = server.root.create_window(0, 0, 5, 5, 0, server.depth, event_mask=1 << 17)
        window.map()
        assert server.sync()
        event = server.next_event()
        assert event is not None
        while server.next_event() is not None:
            pass
        assert not server.sync()
        server.display.close()
    finally:
        display.stop()
