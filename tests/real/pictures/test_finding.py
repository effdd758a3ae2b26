"""Finding a picture: against a search that looks everywhere."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pictures_kit import cut, frames, made
from windtunnel.ports import Frame, Region
from windtunnel_real.errors import InputError
from windtunnel_real.pictures import finding
from windtunnel_real.pictures.finding import find

FEW = st.integers(0, 1)
REGIONS = st.builds(
    Region, st.integers(-3, 12), st.integers(-3, 12), st.integers(0, 14), st.integers(0, 14)
)


def searched(frame: Frame, picture: Frame, within: Region | None) -> tuple[int, int] | None:
    """Look everywhere, row by row."""
    box = within or Region(0, 0, frame.width, frame.height)
    for y in range(max(box.y, 0), min(box.y + box.height, frame.height) - picture.height + 1):
        for x in range(max(box.x, 0), min(box.x + box.width, frame.width) - picture.width + 1):
            if cut(frame, Region(x, y, picture.width, picture.height)) == picture:
                return x, y
    return None


@given(frames(pixels=FEW), frames(longest=3, pixels=FEW), st.none() | REGIONS)
def test_it_finds_what_a_search_everywhere_finds(
    frame: Frame, picture: Frame, within: Region | None
) -> None:
    assert find(frame, picture, within) == searched(frame, picture, within)


@given(frames(pixels=st.integers(0, 3)), st.data())
def test_a_part_of_a_frame_is_found_in_it(frame: Frame, data: st.DataObject) -> None:
    x, y = data.draw(st.integers(0, frame.width - 1)), data.draw(st.integers(0, frame.height - 1))
    width = data.draw(st.integers(1, frame.width - x))
    height = data.draw(st.integers(1, frame.height - y))
    region = Region(x, y, width, height)
    picture = cut(frame, region)
    found = find(frame, picture)
    assert found is not None
    assert found[::-1] <= (y, x), "the topmost, then the leftmost"
    assert cut(frame, Region(*found, width, height)) == picture
    assert find(frame, picture, region) == (x, y)


@given(frames(pixels=FEW), frames(longest=3, pixels=FEW), st.randoms(use_true_random=False))
def test_the_unused_byte_does_not_count(frame: Frame, picture: Frame, random: Random) -> None:
    dirty = bytearray(frame.pixels)
    dirty[3::4] = random.randbytes(len(dirty) // 4)
    assert find(Frame(frame.width, frame.height, bytes(dirty)), picture) == find(frame, picture)
    dirty = bytearray(picture.pixels)
    dirty[3::4] = random.randbytes(len(dirty) // 4)
    assert find(frame, Frame(picture.width, picture.height, bytes(dirty))) == find(frame, picture)


@given(frames(pixels=FEW), frames(longest=3, pixels=FEW))
def test_places_in_batches_are_the_same_places(frame: Frame, picture: Frame) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(finding, "BATCH", 3)
        patch.setattr(finding, "WHOLE", 1)
        assert find(frame, picture) == searched(frame, picture, None)


def test_one_pixel_that_differs_is_no_match() -> None:
    frame = made(50, 40, *Random(1).choices(range(1 << 24), k=2000))
    picture = cut(frame, Region(20, 10, 12, 8))
    assert find(frame, picture) == (20, 10)
    for place in range(12 * 8):
        pixels = bytearray(picture.pixels)
        pixels[place * 4] ^= 1
        assert find(frame, Frame(12, 8, bytes(pixels))) is None


def test_what_is_flat_is_found_at_once_in_what_is_flat() -> None:
    assert find(made(800, 560, 5), made(60, 24, 5)) == (0, 0)


def test_stripes_are_found_where_they_begin() -> None:
    """Many places look alike until the last pixel."""
    frame = made(200, 100, *([1, 2] * 100 + [2, 1] * 100))
    picture = cut(frame, Region(1, 0, 20, 10))
    assert find(frame, picture) == (1, 0)
    pixels = bytearray(picture.pixels)
    pixels[-4:] = b"\1\0\0\0" if pixels[-4:] == b"\2\0\0\0" else b"\2\0\0\0"
    assert find(frame, Frame(20, 10, bytes(pixels))) is None


def test_a_picture_that_is_too_big_lies_nowhere() -> None:
    assert find(made(3, 3, 0), made(4, 1, 0)) is None
    assert find(made(3, 3, 0), made(1, 4, 0)) is None
    assert find(made(9, 9, 0), made(2, 2, 0), Region(8, 8, 5, 5)) is None


def test_what_is_no_frame_is_refused() -> None:
    with pytest.raises(InputError):
        find(made(3, 3, 0), Frame(2, 2, b""))
