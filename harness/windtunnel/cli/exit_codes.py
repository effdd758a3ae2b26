"""The exit codes of the command line, and which of several a run ends with. Imports nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

EXIT_PASS: Final = 0
EXIT_FAIL: Final = 1
EXIT_USAGE: Final = 2
EXIT_UNKNOWN: Final = 3
EXIT_ENVIRONMENT: Final = 4
EXIT_NOTHING: Final = 5
EXIT_INTERNAL: Final = 70
EXIT_INTERRUPTED: Final = 130
EXIT_CLOSED: Final = 141
"""As a shell tells of a program that the end of its reader has ended (128 + SIGPIPE)."""

_OF_VERDICT: Final[Mapping[str, int]] = MappingProxyType(
    {
        "pass": EXIT_PASS,
        "fail": EXIT_FAIL,
        "unknown": EXIT_UNKNOWN,
        "vacuous": EXIT_UNKNOWN,
        "error": EXIT_INTERNAL,
    }
)
"""Verdict → exit code; `skipped` has none of its own."""
_PRECEDENCE: Final = (
    EXIT_INTERRUPTED,
    EXIT_INTERNAL,
    EXIT_USAGE,
    EXIT_FAIL,
    EXIT_ENVIRONMENT,
    EXIT_UNKNOWN,
    EXIT_NOTHING,
)


def exit_code(verdicts: Iterable[str], *also: int) -> int:
    """Return the exit code of a whole run (DESIGN §6).

    `also` are codes that come from elsewhere (a bad file, a missing world, an interrupt). Nothing
    selected, or everything skipped, is 5.
    """
    seen = {verdict for verdict in verdicts if verdict != "skipped"}
    codes = {_OF_VERDICT[verdict] for verdict in seen} | set(also)
    if not seen:
        codes.add(EXIT_NOTHING)
    return next((code for code in _PRECEDENCE if code in codes), EXIT_PASS)
