"""The command line of the stand-in, from what is given. Imports `windtunnel.machine.given`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

from windtunnel import units
from windtunnel.machine.given import Given
from windtunnel_real.standin.application import POPUP_MARK


@dataclass(frozen=True, slots=True)
class StandinFiles:
    """Where a run's stand-in has its files, in a folder of their own."""

    folder: Path

    @property
    def data(self) -> Path:
        """The folder of its database."""
        return self.folder / "data"

    @property
    def control(self) -> Path:
        """The socket on which it is asked and told."""
        return self.folder / "control"

    @property
    def log(self) -> Path:
        """Its log."""
        return self.folder / "standin.ndjson"

    @property
    def popup(self) -> Path:
        """What is there while a popup is."""
        return self.data / POPUP_MARK

    @property
    def errors(self) -> Path:
        """What it writes to its error output."""
        return self.folder / "standin.err"


def standin_command(files: StandinFiles, given: Given, *, first: bool) -> tuple[str, ...]:
    """Return what starts it: as it is when the run begins (`first`), or later in the run."""
    restores = "yes" if given.restores_login else "no"
    command = [sys.executable, "-m", "windtunnel_real.standin"]
    command += ["--data", str(files.data), "--control", str(files.control)]
    command += ["--log", str(files.log), "--restores-login", restores]
    command += ["--state", given.state]
    if first:
        command += ["--first"]
        if given.session is not None and given.state == "logged_in":
            command += ["--session", given.session]
    else:
        command += ["--start-up", f"{units.to_seconds(given.start_up):.9f}"]
    return tuple(command)
