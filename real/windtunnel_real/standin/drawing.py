"""Drawing: small pictures (tiles) of texts, buttons, badges and the QR code.

Pure: the same arguments give the same pixels, on the window and for whoever looks for them in a
screenshot. Imports the layout and the fonts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Final
from zlib import crc32

from PIL import Image, ImageDraw

from windtunnel.ports import LoginState
from windtunnel_real.standin.fonts import font
from windtunnel_real.standin.layout import BADGE, BUTTON, QR

Colour = tuple[int, int, int]

WHITE: Final = (255, 255, 255)
GREEN: Final = (7, 193, 96)
DARK: Final = (25, 25, 25)


@dataclass(frozen=True, slots=True)
class Tile:
    """A picture of `width` × `height` pixels, 4 bytes each (B, G, R, 0), row by row."""

    width: int
    height: int
    pixels: bytes


BUTTONS: Final[Mapping[str, tuple[str, Colour]]] = MappingProxyType(
    {
        "confirm": ("确定", (7, 193, 96)),
        "revoke": ("撤回", (250, 157, 59)),
        "forward": ("转发", (16, 174, 255)),
        "remark": ("设置备注", (87, 107, 149)),
        "accept": ("接受", (6, 174, 86)),
        "publish": ("发表", (20, 133, 238)),
        "delete": ("删除", (250, 81, 81)),
        "like": ("赞", (237, 73, 120)),
        "comment": ("评论", (100, 103, 240)),
        "share": ("分享", (0, 150, 136)),
    }
)
"""Target that is found by its picture → its label and colour: no two are alike."""

BADGES: Final[Mapping[LoginState, tuple[str, Colour]]] = MappingProxyType(
    {
        "logged_in": ("● 已登录", (7, 160, 80)),
        "logged_out": ("○ 已退出", (150, 75, 70)),
        "qr": ("▣ 请扫码", (50, 90, 170)),
    }
)
"""Log-in state → the badge in the title strip."""


@lru_cache(maxsize=1024)
def text(string: str, size: int, colour: Colour, ground: Colour, width: int) -> Tile:
    """Return a line of text, cut off after `width` pixels; `size` is the font's, in pixels."""
    letters = font(size)
    needed = max(1, min(width, round(letters.getlength(string)) + 1))
    picture = Image.new("RGB", (needed, size + size // 3), ground)
    ImageDraw.Draw(picture).text((0, 0), string, colour, letters)
    return _tile(picture)


@lru_cache(maxsize=256)
def wrapped(string: str, size: int, width: int) -> tuple[str, ...]:
    """Return a text in lines of at most `width` pixels."""
    return tuple(part for line in string.splitlines() or [""] for part in _cut(line, size, width))


def _cut(line: str, size: int, width: int) -> list[str]:
    letters = font(size)
    lines, room = [""], float(width)
    for letter in line.expandtabs(4):
        room -= letters.getlength(letter)
        if room < 0 and lines[-1]:
            lines.append("")
            room = width - letters.getlength(letter)
        lines[-1] += letter
    return lines


def text_width(string: str, size: int) -> int:
    """Return how many pixels a line of text takes."""
    return round(font(size).getlength(string)) + 1


@lru_cache(maxsize=64)
def button(target: str) -> Tile:
    """Return the picture of a target of `tables.PICTURED`; raises `KeyError` for others."""
    label, colour = BUTTONS[target]
    return _plate(label, 15, colour, *BUTTON)


@lru_cache(maxsize=8)
def badge(state: LoginState) -> Tile:
    """Return what the title strip shows of a log-in state; raises `KeyError` for `unknown`."""
    label, colour = BADGES[state]
    return _plate(label, 13, colour, BADGE.width, BADGE.height)


def _plate(label: str, size: int, colour: Colour, width: int, height: int) -> Tile:
    picture = Image.new("RGB", (width, height), colour)
    draw = ImageDraw.Draw(picture)
    edge = tuple(part * 3 // 4 for part in colour)
    draw.rectangle((0, 0, width - 1, height - 1), outline=edge)
    middle = (width - text_width(label, size)) // 2, (height - size) // 2 - 1
    draw.text(middle, label, WHITE, font(size))
    return _tile(picture)


@lru_cache(maxsize=2)
def qr_code(modules: int = 29) -> Tile:
    """Return what looks like a QR code, quiet zone and all; it says nothing."""
    size = QR.width // (modules + 3)
    picture = Image.new("RGB", (QR.width, QR.height), WHITE)
    draw = ImageDraw.Draw(picture)
    edge = (QR.width - modules * size) // 2
    for row in range(modules):
        for column in range(modules):
            if _is_dark(row, column, modules):
                x, y = edge + column * size, edge + row * size
                draw.rectangle((x, y, x + size - 1, y + size - 1), fill=DARK)
    return _tile(picture)


def _is_dark(row: int, column: int, modules: int) -> bool:
    """Tell whether a module is dark: three finder patterns, and noise that is always the same."""
    for top, left in ((0, 0), (0, modules - 7), (modules - 7, 0)):
        down, right = row - top, column - left
        if -1 <= down <= 7 and -1 <= right <= 7:  # noqa: PLR2004 - a finder pattern and its edge
            ring = max(abs(down - 3), abs(right - 3))
            return ring in (0, 1, 3)
    return bool(crc32(bytes((row, column))) * 2_654_435_761 >> 16 & 1)


def _tile(picture: Image.Image) -> Tile:
    red, green, blue = picture.split()
    zero = Image.new("L", picture.size, 0)
    pixels = Image.merge("RGBA", (blue, green, red, zero)).tobytes()
    return Tile(picture.width, picture.height, pixels)
