"""Nearby: the files that a scenario file names, found below its root and nowhere else.

Imports `suggestions` and the limits of source texts; reads folders, no file's content.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from windtunnel.errors import WindtunnelError
from windtunnel.scenario.source.suggestions import did_you_mean

_DRIVE = re.compile(r"[A-Za-z]:")
_SHOWN: Final = 80
"""Characters of a path that a message shows."""


class PathError(WindtunnelError, ValueError):
    """A path in a file leads to nothing that may be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Origin:
    """A file that names others: where it lies, how it is shown, and what they must lie below."""

    path: Path
    display: str
    root: Path

    def find(self, text: str, suffix: str) -> Origin:
        """Return the file that a path means, relative to this file.

        The suffix is required, and no part may begin with a dot (but for `..`), so that nothing is
        read that is no data. Raises `PathError` for such paths, for an absolute one, for what
        leads out of the root (links followed) and for what is not there or no file.
        """
        if said := _malformed(text, suffix):
            raise PathError(said)
        path, shown = self.path.parent / text, text[:_SHOWN]
        real, root = Path(os.path.realpath(path)), Path(os.path.realpath(self.root))
        if not real.is_relative_to(root):
            said = f"{shown!r} leads out of the scenario root {str(self.root)!r}"
            raise PathError(f"{said}; run windtunnel in a folder that holds both")
        hidden = [part for part in real.relative_to(root).parts if part.startswith(".")]
        if hidden:
            raise PathError(f"{shown!r} leads to {hidden[0]!r}: hidden files are not read")
        if why := _unreadable(path, real):
            raise PathError(f"cannot read {shown!r}: {why}")
        display = os.path.normpath(os.path.join(os.path.dirname(self.display), text))  # noqa: PTH118, PTH120 - a shown path, not one on disk
        return Origin(path, display, self.root)


def _malformed(text: str, suffix: str) -> str:
    """Return what is wrong with a path before anything is looked up, or `""`."""
    if not text or not text.isprintable():
        return "a path is needed here, relative to this file"
    shown = text[:_SHOWN]
    if text.startswith(("/", "~")) or _DRIVE.match(text) or "\\" in text:
        return f"{shown!r}: write a path relative to this file, with `/` between its parts"
    if any(part.startswith(".") and part not in (".", "..") for part in text.split("/")):
        return f"{shown!r}: hidden files are not read"
    return "" if text.endswith(suffix) else f"{shown!r}: the file's name must end with {suffix}"


def _unreadable(path: Path, real: Path) -> str:
    """Return why what a path leads to is no file that can be read, or `""`."""
    try:
        mode = real.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        near = [] if path.is_symlink() else [*_siblings(path)]
        return f"there is no such file{did_you_mean(path.name[:_SHOWN], near, most=0)}"
    except OSError as error:  # a name that is too long, links in a circle, a closed folder
        return error.strerror or str(error)
    return "" if stat.S_ISREG(mode) else "it is no file"


def _siblings(path: Path) -> Iterator[str]:
    try:
        with os.scandir(path.parent) as found:
            yield from (entry.name for entry in found if entry.name.endswith(path.suffix))
    except OSError:
        return
