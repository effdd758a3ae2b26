"""Fonts: one with Chinese letters is taken before others, and none at all is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from windtunnel_real.errors import StandinError
from windtunnel_real.standin.fonts import OTHERS, WANTED, font, font_file


def put(folder: Path, name: str) -> Path:
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.touch()
    return file


def test_the_best_is_taken(tmp_path: Path) -> None:
    stray = put(tmp_path, "deep/down/a.ttf")
    assert font_file([tmp_path]) == stray
    other = put(tmp_path, OTHERS[0])
    assert font_file([tmp_path]) == other
    chinese = put(tmp_path, WANTED[-1])
    assert font_file([tmp_path]) == chinese
    best = put(tmp_path, WANTED[0])
    assert font_file([tmp_path]) == best


def test_no_font_says_what_to_install(tmp_path: Path) -> None:
    with pytest.raises(StandinError, match="apt-get install fonts-wqy-microhei"):
        font_file([tmp_path])


def test_the_font_here_has_chinese_letters() -> None:
    letters = font(20)
    drawn = {bytes(letters.getmask(letter)) for letter in "微信你好"}
    assert len(drawn) == 4
    assert bytes(letters.getmask("微")) != bytes(letters.getmask("\ue123"))
