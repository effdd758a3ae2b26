"""Scenario files: from the paths a user names to the files that hold scenarios.

Imports `windtunnel.errors` alone; reads folders, no file's content.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from windtunnel.errors import WindtunnelError

_PASSED_OVER: Final = (".", "_")
"""What the name of a folder that holds no scenario of its own begins with."""
_SHOWN: Final = 200
"""Characters of a path that a message shows."""
_PACKAGE = Path(__file__).resolve().parents[2]


class SelectionError(WindtunnelError):
    """What was named cannot be selected from: no such path, a folder without scenarios."""


@dataclass(frozen=True, slots=True)
class ScenarioFile:
    """A file that should hold a scenario."""

    path: Path
    display: str
    """The path as results and errors show it, and as `windtunnel run` takes it."""
    root: Path
    """What the files that it names must lie below."""


@dataclass(frozen=True, slots=True)
class Found:
    """The files of some paths, each once, and what the user should know about the search."""

    files: tuple[ScenarioFile, ...]
    notes: tuple[str, ...] = ()


def bundled_root(package: Path = _PACKAGE) -> Path:
    """Return the folder of the scenarios that come with the project.

    Installed, they lie in the package (`windtunnel/_scenarios`); in a checkout, in `scenarios/`
    beside the source roots. Raises `WindtunnelError` when neither is there.
    """
    candidates = (package / "_scenarios", package.parents[1] / "scenarios")
    for folder in candidates:
        if folder.is_dir():
            return folder
    raise WindtunnelError(
        f"the bundled scenarios are missing (looked in {candidates[0]} and {candidates[1]}): "
        "reinstall windtunnel, or name scenario files"
    )


def find_scenarios(paths: Sequence[str]) -> Found:
    """Return the scenario files that `paths` name, in their order; no path: the bundled ones.

    A folder stands for every `*.yaml` below it, sorted. What begins with a dot or an underscore
    (shared data, for others to include) is passed over, as are links that lead out of the folder,
    with a note. A path that is not
    there is looked for among the bundled scenarios. Raises `SelectionError` for a path that is
    not there either, and for a folder without scenarios.
    """
    notes: list[str] = []
    files: dict[Path, ScenarioFile] = {}
    for place in [_place(path) for path in paths] or [bundled_root()]:
        for path in _below(place, notes) if place.is_dir() else [place]:
            files.setdefault(_real(path), ScenarioFile(path, _display(path), _root(path, place)))
    return Found(tuple(files.values()), tuple(notes))


def _root(path: Path, place: Path) -> Path:
    """Return the scenario root of a file that was found through a place the user named.

    The bundled scenarios' folder, or the current folder, for what lies below it: so that a file
    means the same named alone (as in the command that replays it) and found in a folder. Elsewhere,
    and where the current folder is the whole disk or home, the folder named, or the file's own.
    """
    real, here = _real(path), Path.cwd()
    for folder in (bundled_root(), here):
        too_much = folder is here and here in (Path(here.anchor), Path.home())
        if real.is_relative_to(_real(folder)) and not too_much:
            return folder
    return place if place.is_dir() else path.parent


def _real(path: Path) -> Path:
    """Return the path without links; one that leads to itself stays as it is."""
    return Path(os.path.realpath(path))


def _place(path: str) -> Path:
    """Return where a named path lies: here, or among the bundled scenarios."""
    here = Path(path)
    if path and _is_there(here):
        return here
    if path and not here.is_absolute() and ".." not in here.parts:
        bundled = bundled_root() / here
        if _is_there(bundled):
            return bundled
    said = "no such file or folder, here or among the bundled scenarios"
    raise SelectionError(f"{path[:_SHOWN]!r}: {said}")


def _is_there(path: Path) -> bool:
    """Tell whether there is something, if only a link; nothing has a name that cannot be."""
    try:
        path.lstat()
    except (OSError, ValueError):  # not there, too long, a NUL in it
        return False
    return True


def _below(folder: Path, notes: list[str]) -> list[Path]:
    found = sorted(_walk(folder, notes))
    if not found:
        raise SelectionError(f"{_display(folder)!r} holds no scenario: no *.yaml in it or below it")
    return found


def _walk(folder: Path, notes: list[str]) -> Iterator[Path]:
    root = _real(folder)
    for parent, names, files in os.walk(folder, onerror=lambda error: notes.append(str(error))):
        names[:] = [name for name in names if not name.startswith(_PASSED_OVER)]
        links = [link for name in names if (link := Path(parent, name)).is_symlink()]
        notes.extend(f"{_display(link)}: a link to a folder is not followed" for link in links)
        for name in files:
            path = Path(parent, name)
            if path.suffix != ".yaml" or name.startswith("_"):
                continue
            if path.is_symlink() and not _real(path).is_relative_to(root):
                notes.append(f"{_display(path)}: leads out of {_display(folder)}: not followed")
                continue
            yield path


def _display(path: Path) -> str:
    """Return the path as the user gave it; a bundled one from here, or else from its root."""
    root = bundled_root() if path.is_absolute() else None
    if root is None or not path.is_relative_to(root):
        return str(path)
    return str(path.relative_to(Path.cwd() if path.is_relative_to(Path.cwd()) else root))
