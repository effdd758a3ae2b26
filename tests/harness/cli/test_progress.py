"""The line of progress: on a terminal, and nowhere else."""

from __future__ import annotations

import io

import pytest

from windtunnel.cli.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(stream: io.StringIO) -> str:
    """Return what stands on the line in the end, as a terminal would have it."""
    line: list[str] = []
    for part in stream.getvalue().split("\r"):
        line[: len(part)] = part
    return "".join(line).rstrip()


def test_a_terminal_shows_how_far_it_is() -> None:
    stream = Terminal()
    progress = Progress(stream, 12)
    progress.show(3, 1)
    assert shown(stream) == "3 of 12 cells, 1 not passed"
    progress.clear()
    assert shown(stream) == ""


def test_it_is_not_written_too_often() -> None:
    stream = Terminal()
    progress = Progress(stream, 10_000)
    for done in range(10_000):
        progress.show(done, 0)
    assert stream.getvalue().count("\r") < 5_000


def test_it_fits_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "8")
    stream = Terminal()
    Progress(stream, 12).show(3, 1)
    assert stream.getvalue() == "\r3 of 12"


@pytest.mark.parametrize("variable", ["FORCE_COLOR", "CLICOLOR_FORCE"])
def test_no_file_ever_sees_it(monkeypatch: pytest.MonkeyPatch, variable: str) -> None:
    monkeypatch.setenv(variable, "1")
    stream = io.StringIO()
    progress = Progress(stream, 12)
    progress.show(3, 1)
    progress.clear()
    assert stream.getvalue() == ""


def test_a_dumb_terminal_does_not_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    stream = Terminal()
    Progress(stream, 12).show(3, 1)
    assert stream.getvalue() == ""
