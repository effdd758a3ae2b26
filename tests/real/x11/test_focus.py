"""The focus: who has it, and what that lies in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from windtunnel_real.x11.focus import focus, focused
from windtunnel_real.x11.wire import open_wire
from windtunnel_real.x11.xlib import X
from x11_kit import FAR_S, own_display


@pytest.fixture(scope="module")
def wire() -> Iterator[Any]:
    with own_display() as server:
        made = open_wire(server.address, FAR_S, lambda _: None)
        yield made
        made.close()


def nest(wire: Any, depth: int) -> list[Any]:
    windows: list[Any] = []
    parent = wire.screen().root
    for _ in range(depth):
        parent = parent.create_window(0, 0, 50, 50, 0, X.CopyFromParent)
        parent.map()
        windows.append(parent)
    return windows


@pytest.mark.parametrize("nobody", [X.NONE, X.PointerRoot])
def test_the_focus_may_be_with_no_window(wire: Any, nobody: int) -> None:
    wire.set_input_focus(nobody, X.RevertToNone, X.CurrentTime)
    assert focus(wire) == nobody
    assert focused(wire) == frozenset()


def test_the_root_window_is_no_applications(wire: Any) -> None:
    wire.set_input_focus(wire.screen().root, X.RevertToNone, X.CurrentTime)
    assert focused(wire) == frozenset()


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_a_window_has_it_with_all_that_it_lies_in(wire: Any, depth: int) -> None:
    windows = nest(wire, depth)
    beside = nest(wire, 1)[0]
    windows[-1].set_input_focus(X.RevertToNone, X.CurrentTime)
    assert focus(wire) == windows[-1].id
    assert focused(wire) == {window.id for window in windows}
    assert beside.id not in focused(wire)
    windows[0].set_input_focus(X.RevertToNone, X.CurrentTime)
    assert focused(wire) == {windows[0].id}
