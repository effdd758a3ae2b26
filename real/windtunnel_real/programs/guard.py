"""The guard: what is put before a command so that no program of ours outlives this process.

The kernel kills the program when the *thread* that started it ends (`PR_SET_PDEATHSIG`). `setpriv`
(util-linux) asks for it: code of our own between fork and exec (`preexec_fn`) may deadlock beside
threads. The shell after it sees whether this process died before the kernel was asked, and begins
nothing then. Imports the finding.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Final

from windtunnel_real.programs.finding import find_program

_GUARD: Final = 'test "$PPID" = "$0" && exec "$@"'
_HELD: Final = 'test "$PPID" = "$0" && kill -STOP $$ && exec "$@"'


def guarded(
    argv: Sequence[str], environment: Mapping[str, str] | None = None, *, held: bool = False
) -> list[str]:
    """Return the command that runs `argv` under the guard; programs are found by `environment`.

    It is for a thread that lasts as long as the program may. `held`: the program is stopped
    (SIGSTOP) before its first step, until SIGCONT. Raises `MissingProgramError`.
    """
    program = find_program(argv[0], environment)
    setpriv = find_program("setpriv", environment)
    script = _HELD if held else _GUARD
    shell = ("/bin/sh", "-c", script, str(os.getpid()))
    return [setpriv, "--pdeathsig", "KILL", *shell, program, *argv[1:]]
