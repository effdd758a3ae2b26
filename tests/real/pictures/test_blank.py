"""Blank frames: told apart, taken again once, and refused."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pictures_kit import frames, made
from windtunnel.ports import Frame
from windtunnel_real.errors import BlankFrameError
from windtunnel_real.pictures.blank import SAMPLED, is_blank, not_blank

BLANK = made(40, 40, 0x123456)
DRAWN = made(40, 40, *[0] * 1599, 1)


def shown(*frames: Frame) -> tuple[list[Frame], Frame]:
    """Return what is left of these frames, and the one that is found not blank."""
    left = list(frames)

    async def take() -> Frame:
        return left.pop(0)

    return left, asyncio.run(not_blank(take, "the display"))


@given(frames(longest=SAMPLED + 2, pixels=st.integers(0, 1)))
def test_a_frame_is_blank_when_it_has_one_colour(frame: Frame) -> None:
    pixels = {frame.pixels[place : place + 3] for place in range(0, len(frame.pixels), 4)}
    assert is_blank(frame) == (len(pixels) == 1)


@given(st.integers(1, 60), st.integers(1, 60), st.integers(0, 0xFFFFFF), st.data())
def test_one_other_pixel_is_enough(
    width: int, height: int, colour: int, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, width * height - 1))
    pixels = [colour] * (width * height)
    assert is_blank(made(width, height, *pixels))
    pixels[place] ^= 1 << data.draw(st.integers(0, 23))
    assert is_blank(made(width, height, *pixels)) == (width * height == 1)


@given(frames(pixels=st.integers(0, 255).map(lambda unused: unused << 24 | 0x336699)))
def test_the_unused_byte_shows_nothing(frame: Frame) -> None:
    assert is_blank(frame)


def test_a_frame_that_shows_something_is_taken_once() -> None:
    assert shown(DRAWN, BLANK) == ([BLANK], DRAWN)


def test_a_blank_one_is_taken_again_once() -> None:
    assert shown(BLANK, DRAWN, DRAWN) == ([DRAWN], DRAWN)


def test_two_blank_ones_are_refused() -> None:
    with pytest.raises(BlankFrameError, match="the display shows one colour only, twice"):
        shown(BLANK, BLANK, DRAWN)
