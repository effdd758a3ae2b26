"""Sinks: where results go as they come, each in the order of the cells.

Imports the results and the output files.
"""

from __future__ import annotations

import json
import math
import shlex
import sys
from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol, TextIO

from windtunnel.builtin import load_plugin
from windtunnel.cli.failures import mute
from windtunnel.cli.output_file import OutputError, OutputFile
from windtunnel.errors import Problem
from windtunnel.scenario.results import CellResult
from windtunnel.scenario.selecting.selection import as_argument

STDOUT: Final = "-"


class Sink(Protocol):
    """Takes the result of each cell once, in order; then it is committed or discarded."""

    def add(self, result: CellResult, line: Mapping[str, Any]) -> None:
        """Take a result with its trace, and its result line; raises `OutputError`."""

    def commit(self) -> None:
        """Finish; raises `OutputError`."""

    def discard(self) -> None:
        """Leave nothing behind that was not committed."""


class JsonStdout:
    """`--json -`: result lines on standard output, each flushed as it comes."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout

    def add(self, result: CellResult, line: Mapping[str, Any]) -> None:  # noqa: ARG002 - a sink
        """Write the line."""
        try:
            self._stream.write(to_json(line) + "\n")
            self._stream.flush()
        except OSError as error:
            mute(self._stream)
            raise OutputError(f"cannot write standard output: {error.strerror}") from error

    def commit(self) -> None:
        """Nothing is left to do."""

    def discard(self) -> None:
        """What was written has been read."""


class JsonFile:
    """`--json FILE`: result lines."""

    def __init__(self, path: str) -> None:
        self._file = OutputFile("--json", path)
        self.commit = self._file.commit
        self.discard = self._file.discard

    def add(self, result: CellResult, line: Mapping[str, Any]) -> None:  # noqa: ARG002 - a sink
        """Write the line."""
        self._file.write(to_json(line) + "\n")


class TraceFile:
    """`--trace FILE`: for each cell a header line that names it, then its events."""

    def __init__(self, path: str) -> None:
        self._file = OutputFile("--trace", path)
        self.commit = self._file.commit
        self.discard = self._file.discard

    def add(self, result: CellResult, line: Mapping[str, Any]) -> None:  # noqa: ARG002 - a sink
        """Write the header and the events."""
        header = {
            "cell": result.name,
            "file": result.file,
            "world": result.world,
            "verdict": str(result.verdict),
            "digest": result.digest,
        }
        self._file.write(to_json(header) + "\n")
        for event in result.trace:
            self._file.write(event.rstrip("\n") + "\n")


class JunitFile:
    """`--junit FILE`: the report that CI systems read, written when all results are there.

    A file that could not be read is an errored test case, so that no report is green without it.
    """

    def __init__(self, path: str, problems: Sequence[Problem]) -> None:
        self._file = OutputFile("--junit", path)
        self._lines: list[Mapping[str, Any]] = [
            _broken(file, problems) for file in dict.fromkeys(problem.file for problem in problems)
        ]
        self.discard = self._file.discard

    def add(self, result: CellResult, line: Mapping[str, Any]) -> None:  # noqa: ARG002 - a sink
        """Keep the line."""
        self._lines.append(line)

    def commit(self) -> None:
        """Write the report."""
        render = load_plugin("reports", "junit")
        self._file.write(render(self._lines))
        self._file.commit()


def to_json(line: Mapping[str, Any]) -> str:
    """Return one line of JSON; NaN and infinity, which JSON lacks, become strings."""
    try:
        return json.dumps(line, allow_nan=False, default=str)
    except ValueError:
        return json.dumps(_finite(line), allow_nan=False, default=str)


def _finite(value: Any) -> Any:  # noqa: ANN401 - JSON values
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _finite(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(inner) for inner in value]
    return value


def _broken(file: str, problems: Sequence[Problem]) -> dict[str, Any]:
    mine = [problem for problem in problems if problem.file == file]
    return {
        "v": 1,
        "scenario": "(not a valid scenario file)",
        "name": "(not a valid scenario file)",
        "file": file,
        "line": mine[0].line,
        "verdict": "error",
        "reason": f"{len(mine)} errors in the file" if len(mine) > 1 else mine[0].message,
        "output": "\n".join(map(str, mine)),
        "replay": shlex.join(["windtunnel", "check", as_argument(file)]),
    }
