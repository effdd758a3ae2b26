"""Results of an earlier run: the verdicts of its cells, out of the lines `run --json` wrote.

Imports the verdicts and the errors.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from windtunnel.checks.base import Verdict
from windtunnel.errors import WindtunnelError


class ResultsError(WindtunnelError, ValueError):
    """A file does not hold result lines; the message says where."""


def read_verdicts(lines: Iterable[str], name: str) -> Mapping[str, Verdict]:
    """Return the verdicts by the cells' names; of two for one cell the later stands.

    Raises `ResultsError` naming file and line for what is no result line of version 1.
    """
    found: dict[str, Verdict] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            data = json.loads(line)
            if data["v"] != 1:
                raise ResultsError(f"{name}:{number}: version {data['v']!r}, this one reads 1")
            found[str(data["name"])] = Verdict(data["verdict"])
        except (ValueError, KeyError, TypeError) as error:
            if isinstance(error, ResultsError):
                raise
            raise ResultsError(
                f"{name}:{number}: this is no result line; `windtunnel run --json FILE` writes them"
            ) from error
    return found
