"""The text of a failure: which cells, what was expected and seen, the seed, the replay line.

Imports the details of the command line: a cell that failed reads the same in both.
"""

from __future__ import annotations

import io
from collections.abc import Container, Sequence
from dataclasses import replace
from typing import Final

from rich.console import Console

from windtunnel.checks.base import Verdict
from windtunnel.cli.details import print_details
from windtunnel.cli.texts import counts, printable
from windtunnel.scenario.playing.pool import Played
from windtunnel.scenario.results import FINE

MOST_ROWS: Final = 100
"""Failing cells of one item that are listed."""
MOST_DETAILS: Final = 3
"""Failing cells of one item whose details are shown."""
_WIDTH: Final = 10_000


class CellsFailed(AssertionError):
    """A cell did not pass; the message is the headline, then the whole text for people."""


def headline(played: Sequence[Played], *, fine: Container[Verdict] = FINE) -> str:
    """Return the verdict and the reason of the first cell that is not `fine`, in one line."""
    failed = [one.result for one in played if one.result.verdict not in fine]
    how_many = f"{len(failed)} of {len(played)} cells: " if len(played) > 1 else ""
    reason = " ".join(failed[0].reason.splitlines())
    return printable(f"{how_many}{failed[0].verdict}: {reason}")


def failure_text(name: str, played: Sequence[Played], *, fine: Container[Verdict] = FINE) -> str:
    """Return the text over the cells whose verdict is not `fine`, empty if there are none."""
    failed = [one for one in played if one.result.verdict not in fine]
    if len(played) == 1 or not failed:
        return _details(failed)
    rows = [f"  {one.result.verdict} {one.result.name}: {one.result.reason}" for one in failed]
    found = counts(one.result.verdict for one in played).plain
    more = f"  … and {len(rows) - MOST_ROWS} more" if len(rows) > MOST_ROWS else ""
    parts = [f"{len(rows)} of {len(played)} cells of {name} did not pass ({found}):"]
    parts += [*map(printable, rows[:MOST_ROWS]), *([more] if more else [])]
    return "\n".join([*parts, "", _details(failed[:MOST_DETAILS])])


def warnings_text(played: Sequence[Played]) -> str:
    """Return what did not hold in cells that passed, where it is of severity `warning`."""
    passed = [one for one in played if one.result.verdict in FINE]
    noted = [one for one in passed if any(check.verdict not in FINE for check in one.result.checks)]
    return _printed(noted)


def _details(failed: Sequence[Played]) -> str:
    return "\n\n".join(f"{_printed([one])}\n  seed: {one.result.seed}" for one in failed)


def _printed(told: Sequence[Played]) -> str:
    """Return the details without what the cells printed: pytest has a section for that."""
    stream = io.StringIO()
    console = Console(
        file=stream, width=_WIDTH, no_color=True, highlight=False, markup=False, emoji=False
    )
    print_details(console, [replace(one, printed="") for one in told])
    return "\n".join(line.rstrip() for line in stream.getvalue().strip("\n").splitlines())
