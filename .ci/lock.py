"""The lock: constraints.txt, made from what pyproject.toml asks for, on each Python we support.

Standard library only; pip does the resolving. Run it with ``make lock``: it resolves without
installing, on 3.11, 3.12 and 3.13, and writes one line a distribution. Where the three agree the
line is bare; where they differ each version carries its environment marker.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13")
# What an editable install needs besides the build back end itself.
EDITABLE = ["editables"]
HEADER = """\
# The exact versions `make` installs, on Linux. Written by `make lock`: do not edit by hand.
"""

Pins = dict[str, str]


def main() -> int:
    """Resolve on each Python and write constraints.txt; return the exit code."""
    try:
        pins = {version: resolve(version, requirements()) for version in PYTHONS}
    except LockError as error:
        sys.stderr.write(f"make lock: {error}\n")
        return 1
    (ROOT / "constraints.txt").write_text(HEADER + "".join(f"{line}\n" for line in merge(pins)))
    return 0


class LockError(Exception):
    """The lock cannot be made; the message says on which Python and why."""


def requirements() -> list[str]:
    """Give everything the project asks for: to build, to run, and in each of its extras.

    An extra may name another of ours (``windtunnel[real]``), whose own line is among them.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"].values()
    wanted = [
        *project["build-system"]["requires"],
        *EDITABLE,
        *project["project"]["dependencies"],
        *(requirement for extra in extras for requirement in extra),
    ]
    return [each for each in wanted if not each.startswith(f"{project['project']['name']}[")]


def resolve(version: str, wanted: list[str]) -> Pins:
    """Give the name and version of all that ``wanted`` needs on one Python.

    Raises LockError when that Python is not on the machine or pip finds no answer.
    """
    found = _output([str(ROOT / ".ci" / "find-python"), version])
    if found is None:
        raise LockError(f"Python {version} is needed and was not found on this machine")
    with tempfile.TemporaryDirectory() as folder:
        _output([found.strip(), "-m", "venv", folder])
        pip = [f"{folder}/bin/python", "-m", "pip", "-qq", "--disable-pip-version-check"]
        report = _output([*pip, "install", "--dry-run", "--report", "-", *wanted])
    if report is None:
        raise LockError(f"pip finds no set of versions for Python {version}; its reason is above")
    return pins_of(json.loads(report))


def pins_of(report: dict[str, Any]) -> Pins:
    """Read the pins out of pip's installation report."""
    metadata = [item["metadata"] for item in report["install"]]
    return {entry["name"].lower().replace("_", "-"): entry["version"] for entry in metadata}


def merge(pins: dict[str, Pins]) -> list[str]:
    """Give the lines of the constraints: bare where all Pythons agree, marked where they do not."""
    lines = []
    for name in sorted(set().union(*pins.values())):
        by_version: dict[str | None, list[str]] = {}
        for python, pinned in pins.items():
            by_version.setdefault(pinned.get(name), []).append(python)
        if len(by_version) == 1:
            lines.append(f"{name}=={next(iter(by_version))}")
            continue
        for version, pythons in by_version.items():
            if version is not None:
                marker = " or ".join(f'python_version == "{python}"' for python in pythons)
                lines.append(f"{name}=={version} ; {marker}")
    return lines


def _output(command: list[str]) -> str | None:
    """Give what the command printed, or None if it failed; its errors go to ours."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


if __name__ == "__main__":
    sys.exit(main())
