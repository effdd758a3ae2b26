"""Texts for the terminal: colours of verdicts, harmless characters, a console that fits.

Imports rich and the verdicts.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, TextIO

from rich.console import Console
from rich.table import Table
from rich.text import Text

from windtunnel.checks.base import Verdict
from windtunnel.cli.failures import ClosedStreamError

STYLES: Final[Mapping[Verdict, str]] = MappingProxyType(
    {
        Verdict.PASS: "green",
        Verdict.FAIL: "bold red",
        Verdict.UNKNOWN: "bold yellow",
        Verdict.VACUOUS: "bold yellow",
        Verdict.SKIPPED: "cyan",
        Verdict.ERROR: "bold magenta",
    }
)


class _Console(Console):
    """A console that tells of a closed pipe as everything else here does (rich exits with 1)."""

    def on_broken_pipe(self) -> None:
        raise ClosedStreamError


_WIDTH: Final = 120
"""Columns of what is not read on a terminal, unless COLUMNS says otherwise."""
_LEAST: Final = 20
"""Columns that a text gets, however narrow the terminal."""
_TRAILING: Final = re.compile(r" +((?:\x1b\[[\d;]*m)*)$", re.MULTILINE)
"""Blanks at the end of a line, before what ends its colour."""


def console_for(stream: TextIO) -> Console:
    """Return a console as wide as the terminal; elsewhere as wide as COLUMNS says, or 120 columns.

    Only `isatty()` makes a terminal; FORCE_COLOR and NO_COLOR decide over colours alone.
    """
    width = None if stream.isatty() else _columns()
    return _Console(file=stream, width=width, highlight=False, markup=False, emoji=False)


def _columns() -> int:
    said = os.environ.get("COLUMNS", "")
    return int(said) if re.fullmatch("[0-9]{1,6}", said) and int(said) else _WIDTH


def print_table(console: Console, table: Table) -> None:
    """Print a table without the blanks that fill its last column."""
    with console.capture() as captured:
        console.print(table)
    console.file.write(_TRAILING.sub(r"\1", captured.get()))


def hanging(console: Console, text: Text, first: int = 0, others: int = 4) -> None:
    """Print a text that is wrapped where it is too long: `first` blanks, then `others`."""
    room = max(_LEAST, console.width - max(first, others))
    for number, line in enumerate(text.wrap(console, room, overflow="fold")):
        line.rstrip()
        console.print(Text(" " * (others if number else first)) + line, soft_wrap=True)


def printable(text: str) -> str:
    """Return the text with control characters escaped, so that it cannot steer a terminal."""
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() or one == "\n" else one.encode("unicode_escape").decode()
        for one in text.replace("\t", "    ")
    )


def plain(text: str, style: str = "") -> Text:
    """Return a text of which nothing is taken for markup or a control code."""
    return Text(printable(text), style)


def verdict_text(verdict: Verdict) -> Text:
    """Return a verdict in its colour."""
    return Text(verdict, STYLES[verdict])


def counts(verdicts: Iterable[Verdict]) -> Text:
    """Return how often each verdict occurs, in the order of `Verdict`: `12 pass, 1 fail`."""
    seen = list(verdicts)
    parts = [
        Text(f"{seen.count(verdict)} {verdict}", STYLES[verdict])
        for verdict in Verdict
        if verdict in seen
    ]
    return Text(", ").join(parts)


def plural(number: int, noun: str) -> str:
    """Return `1 cell`, `2 cells`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
