"""The wire: its own state, its gate, and requests that are taken back."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from windtunnel_real.display.address import as_environment
from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.x11.errors import WindowGoneError
from windtunnel_real.x11.wire import EXTENSIONS, Wire, open_wire
from windtunnel_real.x11.xlib import X, Xatom, display, error
from x11_kit import FAR_S, own_display, set_layout, stopped

NO_WINDOW = 0x7F000001


@pytest.fixture(scope="module")
def server() -> Iterator[Xvfb]:
    with own_display() as made:
        yield made


@pytest.fixture
def wire(server: Xvfb) -> Iterator[Wire]:
    made = open_wire(server.address, FAR_S, lambda _: None)
    yield made
    made.close()


def mark(wire: Any, name: str) -> None:
    wire.screen().root.change_property(wire.get_atom(name), Xatom.CARDINAL, 32, [1])


def marked(wire: Any, name: str) -> bool:
    found = wire.screen().root.get_full_property(wire.get_atom(name), X.AnyPropertyType)
    return found is not None


def test_it_is_the_librarys_display(wire: Wire) -> None:
    assert (wire.screen().width_in_pixels, wire.screen().height_in_pixels) == (1280, 800)
    assert all(wire.has_extension(name) for name, _ in EXTENSIONS)
    wire.xtest_fake_input(X.MotionNotify, x=7, y=8)
    found = wire.screen().root.query_pointer()
    assert (found.root_x, found.root_y) == (7, 8)


def test_nothing_of_it_is_shared_with_other_displays(wire: Wire, server: Xvfb) -> None:
    before = dict(display._BaseDisplay.extension_major_opcodes)
    other = open_wire(server.address, FAR_S, lambda _: None)
    for state in ("extension_major_opcodes", "event_classes", "error_classes"):
        assert getattr(wire.display, state) is not getattr(other.display, state)
        assert getattr(wire.display, state) is not getattr(display._BaseDisplay, state)
    wire.display.set_extension_major("XTEST", 1)
    assert other.display.get_extension_major("XTEST") != 1
    assert display._BaseDisplay.extension_major_opcodes == before
    other.close()


@pytest.mark.parametrize("table", ["error_classes", "event_classes"])
def test_what_others_have_written_into_the_librarys_tables_is_not_taken_over(
    server: Xvfb, monkeypatch: pytest.MonkeyPatch, table: str
) -> None:
    monkeypatch.setitem(getattr(display._BaseDisplay, table), 3, object)
    opened = open_wire(server.address, FAR_S, lambda _: None)
    assert getattr(opened.display, table)[3] is not object
    opened.close()


def test_what_was_refused_is_raised_once_confirmed(wire: Wire) -> None:
    wire.create_resource_object("window", NO_WINDOW).map()
    with pytest.raises(WindowGoneError):
        wire.confirm("map it")
    wire.confirm("map it")


def test_confirming_costs_a_round_trip_only_after_requests_without_a_reply(wire: Wire) -> None:
    wire.confirm("x")
    wire.sync()
    serial = wire.display.request_serial
    wire.confirm("x")
    assert wire.display.request_serial == serial
    wire.xtest_fake_input(X.MotionNotify, x=1, y=1)
    wire.confirm("x")
    assert wire.display.request_serial == serial + 2


@pytest.mark.parametrize("count", [0, 1, 3])
@pytest.mark.parametrize("serial", [5, 65534])
def test_what_is_taken_back_is_never_sent_and_replies_still_fit(
    wire: Wire, count: int, serial: int
) -> None:
    while wire.display.request_serial != serial:
        wire.no_operation() if wire.display.request_serial % 500 else wire.sync()
    wire.sync()
    wire.get_atom("TAKEN_BACK")
    for _ in range(count):
        mark(wire, "TAKEN_BACK")
    wire.drop()
    assert not marked(wire, "TAKEN_BACK")
    mark(wire, "TAKEN_BACK")
    assert marked(wire, "TAKEN_BACK")
    wire.screen().root.delete_property(wire.get_atom("TAKEN_BACK"))
    wire.sync()


def test_the_gate_keeps_requests_back(wire: Wire) -> None:
    wire.get_atom("GATED")

    def shut() -> None:
        raise LookupError

    wire.set_gate(shut)
    with pytest.raises(LookupError):
        mark(wire, "GATED")
    wire.set_gate(lambda: None)
    assert not marked(wire, "GATED")


def test_changed_keyboard_maps_are_counted(wire: Wire, server: Xvfb) -> None:
    before = wire.mappings
    set_layout(server.address, "de")
    wire.sync()
    assert wire.mappings > before
    assert X.MappingNotify in {event.type for event in wire.take_events()}
    assert wire.take_events() == []


def test_the_environment_is_free_while_the_server_does_not_answer(server: Xvfb) -> None:
    reached, free = threading.Event(), threading.Event()
    sockets: list[socket.socket] = []

    def see(found: socket.socket) -> None:
        sockets.append(found)
        reached.set()

    def connect() -> None:
        with suppress(error.ConnectionClosedError):
            Wire(server.address, see)

    def use() -> None:
        with as_environment(server.address):
            free.set()

    threads = [threading.Thread(target=work, daemon=True) for work in (connect, use)]
    with stopped(server.pid):
        threads[0].start()
        assert reached.wait(FAR_S)
        threads[1].start()
        assert free.wait(FAR_S / 10)
        sockets[0].shutdown(socket.SHUT_RDWR)
    for thread in threads:
        thread.join(FAR_S)
        assert not thread.is_alive()
