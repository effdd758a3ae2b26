"""PNG: what is written is read back, by Pillow too, and a file is whole or not there."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from pictures_kit import frames, made
from windtunnel.ports import Frame
from windtunnel_real.errors import InputError
from windtunnel_real.pictures.pixels import colours, frame_of
from windtunnel_real.pictures.png import decode, encode, read_png, write_png, write_whole


@given(frames())
def test_what_is_written_is_read_back(frame: Frame) -> None:
    assert decode(encode(frame)) == frame


@given(frames(pixels=st.integers(0, 0xFFFFFFFF)))
def test_the_unused_byte_is_not_written(frame: Frame) -> None:
    assert decode(encode(frame)) == frame_of(colours(frame))


def test_a_file_is_what_pillow_reads(tmp_path: Path) -> None:
    path = tmp_path / "it.png"
    write_png(made(2, 2, 0xFF0000, 0x00FF00, 0x0000FF, 0x123456), path)
    with Image.open(path) as image:
        assert (image.format, image.mode, image.size) == ("PNG", "RGB", (2, 2))
        image.verify()
    with Image.open(path) as image:
        assert image.tobytes() == bytes.fromhex("ff000000ff000000ff123456")
    assert read_png(path) == made(2, 2, 0xFF0000, 0x00FF00, 0x0000FF, 0x123456)


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA", "LA", "I;16"])
def test_any_kind_of_png_is_read(mode: str, tmp_path: Path) -> None:
    image = Image.new(mode, (3, 2))
    image.save(tmp_path / "it.png")
    assert read_png(tmp_path / "it.png") == made(3, 2, 0)


@given(st.data())
def test_a_part_of_a_file_is_no_picture(data: st.DataObject) -> None:
    whole = encode(made(20, 20, *range(0, 1 << 24, 41943)))
    # The chunk that ends it holds nothing: what is missing of it is missed by nobody.
    part = whole[: data.draw(st.integers(0, len(whole) - 24))]
    with pytest.raises(InputError, match=rf"a file is no whole PNG \({len(part)} bytes\)"):
        decode(part, "a file")


def test_another_kind_of_picture_is_refused(tmp_path: Path) -> None:
    Image.new("RGB", (3, 2)).save(tmp_path / "it.bmp")
    with pytest.raises(InputError, match=r"it\.bmp is no whole PNG"):
        read_png(tmp_path / "it.bmp")


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        read_png(tmp_path / "none.png")


def test_no_frame_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError):
        write_png(Frame(0, 0, b""), tmp_path / "it.png")
    assert list(tmp_path.iterdir()) == []


def test_a_write_that_fails_leaves_what_was_there_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "it.png"
    write_whole(path, b"before")
    monkeypatch.setattr(Path, "write_bytes", _half)
    with pytest.raises(OSError, match="No space left"):
        write_whole(path, b"after")
    assert path.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [path]


def _half(path: Path, data: bytes) -> int:
    with path.open("wb") as file:
        file.write(data[:2])
    raise OSError(28, "No space left on device")


def test_a_reader_never_meets_half_a_file(tmp_path: Path) -> None:
    path = tmp_path / "it.png"
    pictures = [made(300, 200, 7), made(300, 200, 8)]
    write_png(pictures[0], path)
    over = threading.Event()

    def write() -> None:
        for turn in range(20):
            write_png(pictures[turn % 2], path)
        over.set()

    writer = threading.Thread(target=write)
    writer.start()
    while not over.is_set():
        assert read_png(path) in pictures
    writer.join()
