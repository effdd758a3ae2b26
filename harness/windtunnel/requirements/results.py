"""Results of an earlier run: what came of its cells, out of the lines `run --json` wrote.

Imports the outcomes, the verdicts and the errors.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from windtunnel.checks.base import Verdict
from windtunnel.errors import WindtunnelError
from windtunnel.requirements.coverage import CellKey, Outcome, outcome_of


class ResultsError(WindtunnelError, ValueError):
    """A file does not hold result lines; the message says where."""


def read_outcomes(lines: Iterable[str], name: str) -> Mapping[CellKey, Outcome]:
    """Return what came of each cell, by its file and its name; of two lines the later stands.

    Raises `ResultsError` naming file and line for what is no result line of version 1.
    """
    found: dict[CellKey, Outcome] = {}
    number = 0
    try:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                key, outcome = _read(line, f"{name}:{number}")
                found[key] = outcome
    except UnicodeDecodeError as error:
        raise ResultsError(f"{name}:{number + 1}: this is not UTF-8") from error
    return found


def _read(line: str, place: str) -> tuple[CellKey, Outcome]:
    try:
        data = json.loads(line)
        if data["v"] == 1:
            outcome = outcome_of(Verdict(data["verdict"]), str(data.get("status", "active")))
            return (str(data["file"]), str(data["name"])), outcome
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        said = "this is no result line; `windtunnel run --json FILE` writes them"
        raise ResultsError(f"{place}: {said}") from error
    raise ResultsError(f"{place}: version {data['v']!r}, this one reads 1")
