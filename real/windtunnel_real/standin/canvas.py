"""The canvas: draws a scene on the stand-in's window, and only what has changed of it.

It is drawn behind the scenes and copied at once: no screenshot shows half of it. Imports the
panels and the server.
"""

from __future__ import annotations

from typing import Any, Final

from Xlib import X

from windtunnel_real.standin.drawing import Colour, Tile
from windtunnel_real.standin.layout import TITLE, WINDOW, Box
from windtunnel_real.standin.panels import Fill, Item, Panel
from windtunnel_real.standin.server import Server

BASE: Final = 6
"""How many panels a scene has at least; one more lies over them."""


class Canvas:
    """What a window shows: `paint` a scene, `show` it again where the window was covered."""

    def __init__(self, server: Server, window: Any) -> None:  # noqa: ANN401 - python-xlib has no types
        self._server = server
        self._window = window
        self._store = window.create_pixmap(WINDOW.width, WINDOW.height, server.depth)
        self._gc = self._store.create_gc(graphics_exposures=False)
        # What the server shows by itself when the window appears or is uncovered.
        window.change_attributes(background_pixmap=self._store)
        self._colour: Colour | None = None
        self._shown: tuple[Panel, ...] = ()

    def paint(self, scene: tuple[Panel, ...]) -> bool:
        """Draw what differs from the scene before, and show it; tells whether anything does."""
        stale = changed(self._shown, scene)
        for panel in stale:
            for item in panel.items:
                self._draw(item)
        self._shown = scene
        if stale:
            self.show(around([panel.box for panel in stale]))
        return bool(stale)

    def show(self, box: Box = WINDOW) -> None:
        """Copy a part of what was drawn to the window."""
        self._window.copy_area(
            self._gc, self._store, box.x, box.y, box.width, box.height, box.x, box.y
        )

    def free(self) -> None:
        """Let go of what the server keeps of it."""
        self._gc.free()
        self._store.free()

    def _draw(self, item: Item) -> None:
        if not isinstance(item, Fill):
            self._put(item.x, item.y, item.tile)
            return
        if item.colour != self._colour:
            self._colour = item.colour
            red, green, blue = item.colour
            self._gc.change(foreground=red << 16 | green << 8 | blue)
        box = item.box
        self._store.fill_rectangle(self._gc, box.x, box.y, box.width, box.height)

    def _put(self, x: int, y: int, tile: Tile) -> None:
        """Send a tile in bands that fit into a request."""
        line = tile.width * 4
        band = max(1, self._server.most_bytes // line)
        for top in range(0, tile.height, band):
            rows = min(band, tile.height - top)
            pixels = tile.pixels[top * line : (top + rows) * line]
            self._store.put_image(
                *(self._gc, x, y + top, tile.width, rows),
                *(X.ZPixmap, self._server.depth, 0, pixels),
            )


def changed(before: tuple[Panel, ...], after: tuple[Panel, ...]) -> list[Panel]:
    """Return the panels to draw again, in order.

    What lies over others is drawn after any of them, and when it goes or moves, so are they.
    """
    over, was_over = after[BASE:], before[BASE:]
    if len(before) < BASE:
        return list(after)
    moved = [panel.box for panel in was_over] != [panel.box for panel in over]
    stale = [
        new
        for old, new in zip(before[:BASE], after[:BASE], strict=True)
        if new != old or (moved and new.box != TITLE)
    ]
    return [*stale, *over] if stale or over != was_over else stale


def around(boxes: list[Box]) -> Box:
    """Return the smallest box that holds all of these."""
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    right, bottom = max(box.right for box in boxes), max(box.bottom for box in boxes)
    return Box(left, top, right - left, bottom - top)
