"""The finding of a program on the PATH, and what to install where it is missing.

Imports the one error tree.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from windtunnel_real.errors import MissingProgramError

PACKAGES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "Xvfb": "xvfb",
        "openbox": "openbox",
        "scrot": "scrot",
        "setpriv": "util-linux",
        "xdotool": "xdotool",
    }
)
"""Program → the package of Debian that has it."""


def find_program(name: str, environment: Mapping[str, str] | None = None) -> str:
    """Return the path of a program by the PATH of an environment, our own unless given.

    Raises `MissingProgramError`, which says how to come by it.
    """
    found = shutil.which(name, path=_path(environment))
    if found is not None:
        return found
    if "/" in name:
        raise MissingProgramError(f"there is no program at {name}, or it may not be run")
    package = PACKAGES.get(name)
    way = f"apt-get install {package}" if package else "or put its folder on the PATH"
    raise MissingProgramError(f"there is no program {name} on the PATH: install it ({way})")


def _path(environment: Mapping[str, str] | None) -> str | None:
    """Return the folders to look in; None, where there is no PATH, are the system's own."""
    return (os.environ if environment is None else environment).get("PATH")
