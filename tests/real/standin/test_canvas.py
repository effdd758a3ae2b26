"""The canvas: the window shows the scene to the pixel, whatever was shown before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image
from Xlib import X

from standin_kit import surfaces
from windtunnel.wechat.surface import Surface
from windtunnel_real.display.address import DisplayAddress, as_environment
from windtunnel_real.standin.canvas import BASE, Canvas, around, changed
from windtunnel_real.standin.layout import WINDOW, Box
from windtunnel_real.standin.panels import Fill, Panel
from windtunnel_real.standin.rows import Rows
from windtunnel_real.standin.scene import scene
from windtunnel_real.standin.server import Server


@pytest.fixture(scope="module")
def server(address: DisplayAddress) -> Iterator[Server]:
    with as_environment(address):
        made = Server()
    yield made
    made.display.close()


@pytest.fixture(scope="module")
def window(server: Server) -> Any:
    size = WINDOW.width, WINDOW.height
    made = server.root.create_window(0, 0, *size, 0, server.depth, override_redirect=True)
    made.map()
    server.sync()
    return made


def painted(panels: tuple[Panel, ...]) -> bytes:
    """Return the pixels that a scene means, by painting it all from nothing."""
    picture = Image.new("RGB", (WINDOW.width, WINDOW.height))
    for panel in panels:
        for item in panel.items:
            if isinstance(item, Fill):
                picture.paste(
                    item.colour, (item.box.x, item.box.y, item.box.right, item.box.bottom)
                )
            else:
                tile = item.tile
                drawn = Image.frombytes(
                    "RGB", (tile.width, tile.height), tile.pixels, "raw", "BGRX"
                )
                picture.paste(drawn, (item.x, item.y))
    return picture.tobytes()


def shown(server: Server, window: Any) -> bytes:
    server.sync()
    image = window.get_image(0, 0, WINDOW.width, WINDOW.height, X.ZPixmap, 0xFFFFFFFF)
    picture = Image.frombytes("RGB", (WINDOW.width, WINDOW.height), image.data, "raw", "BGRX")
    return picture.tobytes()


@settings(max_examples=8, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(surfaces(), min_size=2, max_size=4))
def test_after_any_changes_the_window_shows_the_last_scene(
    server: Server, window: Any, states: list[Surface]
) -> None:
    canvas = Canvas(server, window)
    for surface in states:
        panels = scene(surface, Rows(surface), "微信")
        canvas.paint(panels)
        assert shown(server, window) == painted(panels)
        assert not canvas.paint(panels)
    canvas.free()


@given(surfaces(), surfaces())
def test_only_what_changed_is_drawn(before: Surface, after: Surface) -> None:
    one, two = (scene(each, Rows(each), "t") for each in (before, after))
    stale = changed(one, two)
    assert changed(two, two) == []
    same = [new for old, new in zip(one[:BASE], two[:BASE], strict=True) if old == new]
    if len(one) == len(two) == BASE:
        assert [panel for panel in stale if panel in same] == []
    assert all(new in stale for old, new in zip(one[:BASE], two[:BASE], strict=True) if old != new)


def test_the_box_around() -> None:
    assert around([Box(1, 2, 3, 4), Box(10, 0, 1, 1)]) == Box(1, 0, 10, 6)
