"""Failures of a command: what the user is told, and the exit code. Imports click and the errors."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from errno import EDQUOT, EIO, ENOSPC
from typing import Any, Final

import click

from windtunnel.cli.exit_codes import (
    EXIT_CLOSED,
    EXIT_ENVIRONMENT,
    EXIT_INTERNAL,
    EXIT_INTERRUPTED,
    EXIT_PASS,
    EXIT_USAGE,
)

DEBUG: Final = "WINDTUNNEL_DEBUG"
"""The environment variable that shows the traceback of an internal error."""
_UNWRITABLE: Final = frozenset({ENOSPC, EDQUOT, EIO})
"""Errors of a stream that cannot take what is written, such as a full disk."""


class ClosedStreamError(Exception):
    """The reader of standard output has stopped (`| head`): it has what it wanted."""


class FullStreamError(click.ClickException):
    """Standard output takes nothing more: its disk is full."""

    exit_code = EXIT_USAGE

    def __init__(self, why: str) -> None:
        super().__init__(f"cannot write to standard output: {why}")


def exit_code_of(command: Callable[[], Any]) -> int:
    """Run a command that returns its exit code (None: 0); tell what it raises on stderr."""
    _have_streams()
    _survive_any_text()
    try:
        code = command()
        sys.stdout.flush()
    except Exception as error:  # noqa: BLE001 - the last line of defence
        return _code_of(error)
    except KeyboardInterrupt:
        return _told("interrupted", EXIT_INTERRUPTED)
    return code if isinstance(code, int) else EXIT_PASS


def _code_of(error: Exception) -> int:
    """Tell an error; return its exit code."""
    from windtunnel.errors import WindtunnelError, WorldUnavailableError

    if isinstance(error, BrokenPipeError | ClosedStreamError):
        mute(sys.stdout)
        return EXIT_CLOSED
    if isinstance(error, OSError) and error.errno in _UNWRITABLE and not error.filename:
        error = FullStreamError(os.strerror(error.errno))
        mute(sys.stdout)
    if isinstance(error, click.ClickException):
        error.show()
        return error.exit_code
    if isinstance(error, click.Abort):
        return _told("interrupted", EXIT_INTERRUPTED)
    if isinstance(error, WorldUnavailableError):
        return _told(error, EXIT_ENVIRONMENT)
    if isinstance(error, WindtunnelError):
        return _told(error, EXIT_USAGE)
    return _internal(error)


def mute(stream: Any) -> None:  # noqa: ANN401 - a text stream
    """Send what is still to be written to a closed pipe nowhere, instead of failing at exit."""
    nothing = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nothing, stream.fileno())
    except (OSError, ValueError):
        pass  # not a file: nothing is flushed at exit
    finally:
        os.close(nothing)


def _told(message: object, code: int) -> int:
    click.echo(f"Error: {message}", err=True)
    return code


def _internal(error: Exception) -> int:
    if os.environ.get(DEBUG) == "1":
        import traceback

        traceback.print_exception(error)
    summary = " ".join(f"{type(error).__name__}: {error}".split())
    return _told(
        f"internal error: {summary} — please report it, with what {DEBUG}=1 shows", EXIT_INTERNAL
    )


def _have_streams() -> None:
    """Put nothing in the place of a stream that the caller has closed."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            nothing = os.open(os.devnull, os.O_WRONLY)  # pathlib would cost a tenth of --help
            setattr(sys, name, os.fdopen(nothing, "w", encoding="utf-8"))


def _survive_any_text() -> None:
    """Escape what a terminal's encoding cannot show, rather than fail on it."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
