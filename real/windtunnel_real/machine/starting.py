"""A start: how a program comes to run so that it cannot outlive this process.

The kernel kills it when the thread that started it ends (`PR_SET_PDEATHSIG`): start from the thread
that lasts as long as the run, the event loop's. `setpriv` asks for it, since code of our own
between fork and exec (`preexec_fn`) may deadlock beside threads; the shell after it sees whether
this process died before the kernel was asked. Imports the one error tree.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Final

import windtunnel
import windtunnel_real
from windtunnel.errors import WorldError

PACKAGES: Final[Mapping[str, str]] = MappingProxyType(
    {"openbox": "openbox", "scrot": "scrot", "setpriv": "util-linux", "xdotool": "xdotool"}
)
"""Program → the package of Debian that has it."""

_GUARD: Final = 'test "$PPID" = "$0" && exec "$@"'
_HELD: Final = 'test "$PPID" = "$0" && kill -STOP $$ && exec "$@"'


def start_program(
    argv: Sequence[str],
    environment: Mapping[str, str],
    *,
    stdout: int = subprocess.DEVNULL,
    stderr: int = subprocess.DEVNULL,
    held: bool = False,
) -> subprocess.Popen[bytes]:
    """Start a program in a session of its own: ctrl+C at the terminal is for us, not for it.

    `stdout` and `stderr` are file descriptors. `held`: it is stopped (SIGSTOP) before its first
    step, until SIGCONT. Raises `WorldError` when it is not there or may not be run.
    """
    program = find_program(argv[0], environment)
    guard = [find_program("setpriv", environment), "--pdeathsig", "KILL", "/bin/sh", "-c"]
    script = _HELD if held else _GUARD
    return subprocess.Popen(  # noqa: S603 - the shell's text is ours, the program an argument
        [*guard, script, str(os.getpid()), program, *argv[1:]],
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
        start_new_session=True,
    )


def find_program(name: str, environment: Mapping[str, str]) -> str:
    """Return the path of a program; `WorldError` says how to come by it."""
    found = shutil.which(name, path=environment.get("PATH"))
    if found is not None:
        return found
    if "/" in name:
        raise WorldError(f"there is no program at {name}, or it may not be run")
    package = PACKAGES.get(name)
    way = f"apt-get install {package}" if package else "or put its folder on the PATH"
    raise WorldError(f"there is no program {name} on the PATH: install it ({way})")


def with_our_packages(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment with the packages of a bare checkout on Python's path.

    What is installed is found without, and would be foreign to another interpreter.
    """
    installed = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    roots = [str(Path(each.__path__[0]).parent) for each in (windtunnel, windtunnel_real)]
    said = environment.get("PYTHONPATH")
    path = [*(root for root in roots if root not in installed), *([said] if said else [])]
    return {**environment, "PYTHONPATH": os.pathsep.join(path)} if path else dict(environment)
