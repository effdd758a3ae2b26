"""Our packages: a program of ours, run by this interpreter, finds them in a bare checkout too.

Imports where they lie.
"""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Mapping
from pathlib import Path

import windtunnel
import windtunnel_real


def with_our_packages(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment with the packages of a bare checkout on Python's path.

    What is installed is found without, and would be foreign to another interpreter.
    """
    installed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    roots = [str(Path(each.__path__[0]).parent) for each in (windtunnel, windtunnel_real)]
    said = environment.get("PYTHONPATH")
    path = [*(root for root in roots if root not in installed), *([said] if said else [])]
    return {**environment, "PYTHONPATH": os.pathsep.join(path)} if path else dict(environment)
