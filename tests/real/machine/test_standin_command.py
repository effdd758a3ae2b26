"""The stand-in's command line: as the run begins, and as it is started again."""

from __future__ import annotations

from pathlib import Path

from windtunnel.machine.given import read_given
from windtunnel_real.machine.machine import RealFigures
from windtunnel_real.machine.standin_command import StandinFiles, standin_command

FILES = StandinFiles(Path("/run/folder"))


def command(*, first: bool, **wechat: object) -> tuple[str, ...]:
    return standin_command(FILES, read_given({"wechat": wechat}, RealFigures()), first=first)


def test_the_first_has_the_session_that_is_given() -> None:
    words = command(first=True, session="bob")
    assert words[-3:] == ("--first", "--session", "bob")
    assert "--session" not in command(first=True, session="bob", state="qr")


def test_a_later_one_takes_the_time_that_is_given() -> None:
    words = command(first=False, start_up=1_500_000_000, restores_login=False)
    assert words[-2:] == ("--start-up", "1.500000000")
    assert words[words.index("--restores-login") + 1] == "no"
    assert "--first" not in words
