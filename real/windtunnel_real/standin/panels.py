"""Panels: the parts that the stand-in's scene is made of. Imports the layout and the drawing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final
from zlib import crc32

from windtunnel_real.standin import drawing
from windtunnel_real.standin.drawing import Colour, Tile
from windtunnel_real.standin.layout import Box

INK: Final = (30, 30, 30)
GREY: Final = (140, 140, 140)
LIT: Final = (7, 193, 96)
FACES: Final = ((87, 107, 149), (233, 134, 78), (74, 144, 164), (150, 96, 168), (120, 144, 72))


@dataclass(frozen=True, slots=True)
class Fill:
    """A box of one colour."""

    box: Box
    colour: Colour


@dataclass(frozen=True, slots=True)
class Picture:
    """A tile, and where its top left corner lies."""

    x: int
    y: int
    tile: Tile


Item = Fill | Picture


@dataclass(frozen=True, slots=True)
class Panel:
    """A part of the window: its items are drawn in order and fill its box."""

    box: Box
    items: tuple[Item, ...]


def label(
    x: int, y: int, text: str, size: int, colour: Colour, ground: Colour, width: int
) -> Picture:
    """Return a line of text, `width` pixels at most."""
    return Picture(x, y, drawing.text(text[:200], size, colour, ground, width))


def framed(box: Box, ground: Colour, *, lit: bool) -> Iterator[Item]:
    """Give a box with an edge, a bright one if it has the focus."""
    edge = LIT if lit else (205, 205, 205)
    yield Fill(box, edge)
    yield Fill(Box(box.x + 1, box.y + 1, box.width - 2, box.height - 2), ground)


def written(box: Box, text: str, ground: Colour, *, lit: bool = False) -> Iterator[Item]:
    """Give what stands in a box: its last lines, with a cursor behind them if it is `lit`."""
    size, width = 14, box.width - 16
    room = max(1, (box.height - 4) // 20)
    lines = drawing.wrapped(text[-800:], size, width)[-room:]
    top = box.y + (6 if room == 1 else 4)
    for line, string in enumerate(lines):
        yield label(box.x + 8, top + 20 * line, string, size, INK, ground, width)
    if lit:
        left = box.x + 8 + min(width, drawing.text_width(lines[-1], size))
        yield Fill(Box(left, top + 20 * (len(lines) - 1), 1, 18), LIT)


def avatar(box: Box, name: str, colour: Colour | None = None) -> Iterator[Item]:
    """Give somebody's picture: the first letter of the name on a ground of its own."""
    ground = colour or FACES[crc32(name.encode()) % len(FACES)]
    letter, size = name[:1].upper(), box.height // 2
    yield Fill(box, ground)
    left = box.x + max(0, (box.width - drawing.text_width(letter, size)) // 2)
    yield label(left, box.y + box.height // 5, letter, size, drawing.WHITE, ground, box.width)


def icon(box: Box, text: str, ground: Colour, *, lit: bool) -> Iterator[Item]:
    """Give a button of the rail."""
    face = (72, 72, 72) if lit else (58, 58, 58)
    yield Fill(box, ground)
    yield Fill(Box(box.x, box.y + 2, box.width, box.height - 4), face)
    ink = LIT if lit else (200, 200, 200)
    left = box.x + max(1, (box.width - drawing.text_width(text, 13)) // 2)
    yield label(left, box.y + 13, text, 13, ink, face, box.width - 2)


def buttons(places: Mapping[str, Box | None]) -> Iterator[Item]:
    """Give the pictures by which targets are found."""
    for target, box in places.items():
        if box is not None:
            yield Picture(box.x, box.y, drawing.button(target))
