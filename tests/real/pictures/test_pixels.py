"""Pixels: the normal form of a frame, and what is no frame."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pictures_kit import frames, made
from windtunnel.ports import Frame
from windtunnel_real.errors import InputError
from windtunnel_real.pictures.pixels import colours, frame_of, raw


def test_a_pixel_is_read_as_blue_green_red() -> None:
    assert raw(Frame(1, 1, b"\x11\x22\x33\x44")).tolist() == [[0x44332211]]
    assert colours(Frame(1, 1, b"\x11\x22\x33\x44")).tolist() == [[0x332211]]


def test_rows_come_one_after_the_other() -> None:
    assert raw(made(2, 3, 1, 2, 3, 4, 5, 6)).tolist() == [[1, 2], [3, 4], [5, 6]]


@given(frames(pixels=st.integers(0, 0xFFFFFFFF)))
def test_the_normal_form_keeps_colours_and_loses_the_unused_byte(frame: Frame) -> None:
    normal = frame_of(colours(frame))
    assert (normal.width, normal.height) == (frame.width, frame.height)
    for channel in range(3):
        assert normal.pixels[channel::4] == frame.pixels[channel::4]
    assert not any(normal.pixels[3::4])


@given(frames(pixels=st.integers(0, 0xFFFFFFFF)))
def test_what_is_read_off_a_frame_leaves_it_as_it_is(frame: Frame) -> None:
    before = bytes(frame.pixels)
    colours(frame)
    assert frame.pixels == before


@pytest.mark.parametrize(
    "frame",
    [Frame(2, 2, b"\0" * 15), Frame(2, 2, b"\0" * 20), Frame(0, 3, b""), Frame(-1, -1, b"\0" * 4)],
)
def test_what_is_no_frame_is_refused(frame: Frame) -> None:
    with pytest.raises(InputError, match="bytes: it needs"):
        raw(frame)
