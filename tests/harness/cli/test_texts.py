"""Texts for the terminal: nothing steers it."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich import box
from rich.console import Console
from rich.table import Table

from windtunnel.checks.base import Verdict
from windtunnel.cli.texts import (
    STYLES,
    console_for,
    counts,
    hanging,
    plain,
    plural,
    print_table,
    printable,
)


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


@pytest.mark.parametrize(("said", "width"), [("50", 50), ("", 120), ("wide", 120), ("0", 120)])
@pytest.mark.parametrize("forced", [True, False])
def test_a_file_is_as_wide_as_columns_says(
    monkeypatch: pytest.MonkeyPatch, said: str, width: int, forced: bool
) -> None:
    monkeypatch.setenv("COLUMNS", said)
    if forced:
        monkeypatch.setenv("FORCE_COLOR", "1")
    stream = io.StringIO()
    console = console_for(stream)
    console.print(plain("x" * 200))
    assert len(stream.getvalue().splitlines()[0]) == width
    console.print(plain("word " * 100), soft_wrap=True)  # what is to be copied stays whole
    assert stream.getvalue().splitlines()[-1] == "word " * 100


@pytest.mark.parametrize("forced", [True, False])
def test_a_table_has_no_blanks_at_the_end(monkeypatch: pytest.MonkeyPatch, forced: bool) -> None:
    if forced:
        monkeypatch.setenv("FORCE_COLOR", "1")
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for name in ("a", "b"):
        table.add_column(name)
    table.add_row(plain("1", "red"), plain("short"))
    table.add_row(plain("2"), plain("much longer", "red"))
    stream = io.StringIO()
    print_table(console_for(stream), table)
    lines = [re.sub(r"\x1b\[[\d;]*m", "", line) for line in stream.getvalue().splitlines()]
    assert lines == [line.rstrip() for line in lines]
    assert [line.split() for line in lines[2:]] == [["1", "short"], ["2", "much", "longer"]]


@given(st.text(st.characters(categories=["L", "N"]) | st.just(" "), max_size=300))
def test_a_text_hangs_below_its_first_line_and_loses_nothing(text: str) -> None:
    stream = io.StringIO()
    hanging(Console(file=stream, width=40), plain(f"x{text}"), 2, 6)
    first, *others = stream.getvalue().splitlines()
    assert first.startswith("  x")
    assert all(line.startswith("      ") and line == line.rstrip() for line in others if line)
    assert "".join(stream.getvalue().split()) == "".join(f"x{text}".split())


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
