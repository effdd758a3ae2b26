"""Texts for the terminal: nothing steers it."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks.base import Verdict
from windtunnel.cli.texts import STYLES, console_for, counts, plain, plural, printable


@given(st.text())
def test_what_is_printed_is_printable(text: str) -> None:
    assert all(one.isprintable() or one == "\n" for one in printable(text))


@given(st.text(st.characters(categories=["L", "N", "P"])))
def test_what_is_printable_stays(text: str) -> None:
    assert printable(text) == text


def test_escapes_are_shown() -> None:
    assert printable("\x1b[31mred\t\x07\u202e") == "\\x1b[31mred    \\x07\\u202e"


def test_brackets_are_no_markup() -> None:
    stream = io.StringIO()
    console_for(stream).print(plain("x[case=a] [red]y[/red] :smile:"))
    console_for(stream).print("x[case=a] [red]y[/red] :smile:")
    assert stream.getvalue() == "x[case=a] [red]y[/red] :smile:\n" * 2


@pytest.mark.parametrize("forced", [True, False])
def test_a_file_gets_whole_lines(monkeypatch: pytest.MonkeyPatch, forced: bool) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    if forced:
        monkeypatch.setenv("FORCE_COLOR", "1")
    stream = io.StringIO()
    console_for(stream).print(plain("word " * 100))
    assert len(stream.getvalue().splitlines()) == 1


def test_every_verdict_has_a_colour() -> None:
    assert STYLES.keys() == set(Verdict)


def test_verdicts_are_counted_in_a_fixed_order() -> None:
    verdicts = [Verdict.ERROR, Verdict.PASS, Verdict.FAIL, Verdict.PASS]
    assert counts(verdicts).plain == "2 pass, 1 fail, 1 error"
    assert (plural(1, "cell"), plural(2, "cell"), plural(0, "cell")) == (
        "1 cell",
        "2 cells",
        "0 cells",
    )
