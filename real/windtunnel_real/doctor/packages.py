"""Packages: the Python packages of the extra `real`, whether they load, and whose files they are.

Imports what a probe saw.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import importlib
import sys
from collections.abc import Iterator, Mapping
from importlib.metadata import (
    Distribution,
    PackageNotFoundError,
    distribution,
    packages_distributions,
)
from pathlib import Path
from typing import Final

from windtunnel_real.doctor.seen import Seen, bad, ok

MODULES: Final[Mapping[str, str]] = {
    "python-xlib": "Xlib.display",
    "mss": "mss",
    "numpy": "numpy",
    "pillow": "PIL.Image",
}
"""Distribution → the module of it that is loaded."""
_NAMED: Final = 3
"""Files that a message names."""


def package(name: str) -> Seen:
    """Look whether a distribution is installed, its files are its own, and it loads."""
    module = MODULES[name]
    try:
        installed = distribution(name)
    except PackageNotFoundError:
        return bad("it is not installed", _install(name))
    rivals = sorted(_owners(module) - {name})
    foreign = list(foreign_files(installed))
    if foreign:
        return bad(f"{_files(foreign)} not its own{_by(rivals)}", _reinstall(name, rivals))
    try:
        importlib.import_module(module)
    except Exception as error:  # noqa: BLE001 - whatever a broken installation raises
        return bad(f"{installed.version} does not load: {error}", _reinstall(name, rivals))
    return ok(installed.version)


def foreign_files(installed: Distribution) -> Iterator[Path]:
    """Yield the files of a distribution that are not there, or not as they were installed.

    By its RECORD: `Distribution.files` keeps silent about files that are gone (from 3.12 on). None
    where there is no such record, as of a distribution of the system's package manager.
    """
    for name, digest, *_ in csv.reader((installed.read_text("RECORD") or "").splitlines()):
        method, _, expected = digest.partition("=")
        if not expected or not name.endswith(".py"):
            continue
        path = Path(str(installed.locate_file(name)))
        if not path.is_file() or _digest(path, method) != expected:
            yield path


def _digest(path: Path, method: str) -> str:
    digest = hashlib.new(method, path.read_bytes()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def _owners(module: str) -> set[str]:
    """Return the distributions that say that they bring the module's package."""
    top = module.partition(".")[0]
    return {name.lower().replace("_", "-") for name in packages_distributions().get(top, ())}


def _files(paths: list[Path]) -> str:
    names = [f"{path.parent.name}/{path.name}" for path in paths[:_NAMED]]
    more = len(paths) - len(names)
    if len(paths) == 1:
        return f"{names[0]} is"
    return f"{', '.join(names)}{f' and {more} more' if more else ''} are"


def _by(rivals: list[str]) -> str:
    return f": {', '.join(rivals)} wrote over it" if rivals else ""


def _install(name: str) -> str:
    return f"{sys.executable} -m pip install {name}"


def _reinstall(name: str, rivals: list[str]) -> str:
    pip = f"{sys.executable} -m pip"
    remove = f"{pip} uninstall --yes {' '.join(rivals)} && " if rivals else ""
    return f"{remove}{pip} install --force-reinstall --no-deps {name}"
