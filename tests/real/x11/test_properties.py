"""Properties: several asked for before any is waited for; what is gone is told as gone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from windtunnel_real.x11.properties import GONE, ask, first, numbers, text
from windtunnel_real.x11.wire import Wire, open_wire
from windtunnel_real.x11.xlib import Xatom
from x11_kit import FAR_S, own_display


@pytest.fixture(scope="module")
def wire() -> Iterator[Wire]:
    with own_display() as server:
        made = open_wire(server.address, FAR_S, lambda _: None)
        yield made
        made.close()


def root(wire: Any) -> Any:
    return wire.screen().root


def utf8(wire: Any) -> int:
    return int(wire.get_atom("UTF8_STRING"))


def test_several_are_asked_for_in_one_round_trip(wire: Wire) -> None:
    for number in range(20):
        root(wire).change_property(wire.get_atom(f"P{number}"), Xatom.CARDINAL, 32, [number, 7])
    wire.sync()
    asked = [ask(wire, root(wire).id, f"P{number}") for number in range(20)]
    assert all(one._data is None for one in asked)
    assert numbers(asked[-1]) == (19, 7)
    assert all(one._data is not None for one in asked)
    assert [first(numbers(one)) for one in asked] == list(range(20))


def test_texts_are_read_by_their_type(wire: Wire) -> None:
    name = wire.get_atom("NAME")
    root(wire).change_property(name, utf8(wire), 8, "微信 é".encode())
    assert text(ask(wire, root(wire).id, "NAME"), utf8(wire)) == "微信 é"
    root(wire).change_property(name, Xatom.STRING, 8, "é".encode("latin-1"))
    assert text(ask(wire, root(wire).id, "NAME"), utf8(wire)) == "é"
    root(wire).change_property(name, utf8(wire), 8, b"\xff\xfe")
    assert text(ask(wire, root(wire).id, "NAME"), utf8(wire)) == "��"


def test_what_is_not_there_or_of_another_kind_is_empty(wire: Wire) -> None:
    assert numbers(ask(wire, root(wire).id, "NOT_THERE")) == ()
    assert text(ask(wire, root(wire).id, "NOT_THERE"), utf8(wire)) == ""
    kind = wire.get_atom("KIND")
    root(wire).change_property(kind, Xatom.STRING, 8, b"text")
    assert numbers(ask(wire, root(wire).id, "KIND")) == ()
    root(wire).change_property(kind, Xatom.CARDINAL, 32, [1])
    assert text(ask(wire, root(wire).id, "KIND"), utf8(wire)) == ""
    assert first(()) == 0


def test_a_window_that_is_gone_is_told_so_and_the_others_are_read(wire: Wire) -> None:
    root(wire).change_property(wire.get_atom("HERE"), Xatom.CARDINAL, 32, [3])
    asked = [ask(wire, window, "HERE") for window in (0x7F000001, root(wire).id)]
    with pytest.raises(GONE):
        numbers(asked[0])
    assert numbers(asked[1]) == (3,)
