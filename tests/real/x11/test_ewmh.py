"""EWMH: a window manager that lives, one that is dead, and none."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.x11 import ewmh
from windtunnel_real.x11.wire import open_wire
from windtunnel_real.x11.xlib import X, Xatom
from x11_kit import FAR_S, own_display
from xclient_kit import xclient

CHECK = "_NET_SUPPORTING_WM_CHECK"


@pytest.fixture
def server() -> Iterator[Xvfb]:
    with own_display() as made:
        yield made


@pytest.fixture
def wire(server: Xvfb) -> Iterator[Any]:
    made = open_wire(server.address, FAR_S, lambda _: None)
    yield made
    made.close()


def claim(wire: Any, window: Any, of: int) -> None:
    window.change_property(wire.get_atom(CHECK), Xatom.WINDOW, 32, [of])


def manage(wire: Any) -> Any:
    """Stand in for a window manager: say that one lives, and list a window."""
    root = wire.screen().root
    window = root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
    claim(wire, window, window.id)
    claim(wire, root, window.id)
    root.change_property(wire.get_atom("_NET_CLIENT_LIST"), Xatom.WINDOW, 32, [11, 12])
    wire.sync()
    return window


def test_no_window_manager_manages_nothing(wire: Any) -> None:
    assert ewmh.manager(wire) == 0
    assert ewmh.clients(wire) == ()


def test_one_that_lives_lists_its_windows(wire: Any) -> None:
    window = manage(wire)
    assert ewmh.manager(wire) == window.id
    assert ewmh.clients(wire) == (11, 12)


def test_what_a_dead_one_has_left_counts_for_nothing(wire: Any) -> None:
    window = manage(wire)
    window.destroy()
    assert ewmh.manager(wire) == 0
    assert ewmh.clients(wire) == ()


def test_its_window_may_be_anothers_by_now(wire: Any) -> None:
    window = manage(wire)
    window.delete_property(wire.get_atom(CHECK))
    assert ewmh.manager(wire) == 0
    claim(wire, window, 5)
    assert ewmh.manager(wire) == 0


def test_activating_is_asked_of_the_root_window(server: Xvfb, wire: Any) -> None:
    listener = open_wire(server.address, FAR_S, lambda _: None)
    listener.screen().root.change_attributes(event_mask=X.SubstructureNotifyMask)
    listener.sync()
    with xclient(server.address.environment()) as client:
        ewmh.ask_active(wire, client.window)
        wire.sync()
    listener.sync()
    asked = [event for event in listener.take_events() if event.type == X.ClientMessage]
    listener.close()
    assert [event.window.id for event in asked] == [client.window]
    assert asked[0].client_type == wire.get_atom("_NET_ACTIVE_WINDOW")
    assert asked[0].data[1][0] == 2
