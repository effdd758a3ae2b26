"""An output file: written beside its place and put there whole, or not at all.

Imports `windtunnel.errors` alone.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from errno import EACCES, EISDIR
from pathlib import Path
from typing import Final, TextIO

from windtunnel.errors import WindtunnelError

_MODE: Final = 0o666


class OutputError(WindtunnelError):
    """A file that the command line asks for cannot be written."""


def refuse_scenario(path: str) -> None:
    """Raise `OutputError` for an output named as a scenario is: the name that was forgotten."""
    if path.endswith(".yaml"):  # as in `--json my.yaml`
        raise OutputError(f"{path} would be overwritten: an output is not named *.yaml")


class OutputFile:
    """Text for a path, which appears there complete when it is committed.

    What is no regular file (a pipe, a device) is written directly. Every method raises
    `OutputError` naming the option, the path and what the system says.
    """

    def __init__(self, option: str, path: str) -> None:
        self._what = f"{option} {path}"
        self._target = Path(os.path.realpath(path))
        self._temporary: Path | None = None
        try:
            self._stream = self._open()
        except (OSError, ValueError) as error:
            raise self._error(error) from error

    def write(self, text: str) -> None:
        """Append text."""
        try:
            self._stream.write(text)
        except OSError as error:
            raise self._error(error) from error

    def commit(self) -> None:
        """Put what was written in its place."""
        try:
            self._stream.close()
            if self._temporary is not None:
                self._temporary.replace(self._target)
                self._temporary = None
        except OSError as error:
            raise self._error(error) from error

    def discard(self) -> None:
        """Leave the place as it was; after a commit, nothing."""
        with contextlib.suppress(OSError):
            self._stream.close()
        if self._temporary is not None:
            self._temporary.unlink(missing_ok=True)
            self._temporary = None

    def _open(self) -> TextIO:
        mode = self._mode()
        if mode is not None and stat.S_ISDIR(mode):
            raise IsADirectoryError(EISDIR, "it is a folder", self._target)
        if mode is not None and not stat.S_ISREG(mode):
            return self._target.open("w", encoding="utf-8")
        if mode is not None and not os.access(self._target, os.W_OK):
            raise PermissionError(EACCES, os.strerror(EACCES), self._target)
        beside = self._target.with_name(f".{self._target.name}.{secrets.token_hex(4)}.part")
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _MODE)
        self._temporary = beside
        if mode is not None:
            beside.chmod(stat.S_IMODE(mode))
        return os.fdopen(descriptor, "w", encoding="utf-8")

    def _mode(self) -> int | None:
        try:
            return self._target.stat().st_mode
        except FileNotFoundError:
            return None

    def _error(self, error: Exception) -> OutputError:
        return OutputError(
            f"cannot write {self._what}: {getattr(error, 'strerror', None) or error}"
        )
