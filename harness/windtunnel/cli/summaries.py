"""Summaries: how a cell's file is named to people, and what its scenario says that it shows.

Imports the search for files; the loading of scenarios only where something is to be told.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from windtunnel.errors import WindtunnelError
from windtunnel.scenario.selecting.files import ScenarioFile, bundled_root


def short_form(file: str) -> str:
    """Return a bundled file's path from the root of those (`ui/send.yaml`); others as they are.

    `windtunnel run` takes the short form from anywhere, unless another file lies at it here.
    """
    try:
        short = Path(os.path.abspath(file)).relative_to(bundled_root())  # noqa: PTH100 - keeps links
    except (ValueError, WindtunnelError):
        return file
    return file if short.exists() else str(short)


def summaries(files: Sequence[ScenarioFile], wanted: Collection[str]) -> Mapping[str, str]:
    """Return the summaries of the scenarios in files, by the files' names; `wanted` names those.

    The files are read again: they have been played by now, and only few are wanted.
    """
    from windtunnel.scenario.reading.loading import load_scenario

    found: dict[str, str] = {}
    for file in files:
        if file.display in wanted:
            try:
                scenario = load_scenario(file.path, display_name=file.display, root=file.root)
            except (WindtunnelError, OSError):  # changed or gone since it was played
                continue
            found[file.display] = scenario.summary
    return found
