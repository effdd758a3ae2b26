"""A child: a program of ours that never outlives this process, whatever ends it, kill -9 included.

The kernel kills it when the *thread* that started it ends (`PR_SET_PDEATHSIG`). One thread that
lives as long as the process starts them all, so that `start_child` may be called from any thread,
such as one of `asyncio.to_thread`. `setpriv` (util-linux) asks the kernel: code of our own between
fork and exec (`preexec_fn`) may deadlock beside threads. Imports the one error tree.
"""

from __future__ import annotations

import os
import queue
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Final

from windtunnel_real.errors import DisplayStartError

_GUARD: Final = '[ "$PPID" = "$0" ] && exec "$@"'
"""A child whose parent was gone before the kernel was asked does not begin."""
_PATIENCE: Final = 2.0
_TAIL_BYTES: Final = 16384
_TAIL_LINES: Final = 8

Child = subprocess.Popen[bytes]


def find_program(name: str, package: str) -> str:
    """Return the path of a program; `DisplayStartError` says which package has it."""
    found = shutil.which(name)
    if found is None:
        raise DisplayStartError(
            f"there is no program {name} on the PATH: install it (apt-get install {package})"
        )
    return found


def start_child(
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    errors: Path,
    pass_fds: Sequence[int] = (),
) -> Child:
    """Start a program that ends with this process; what it writes to stderr goes to a file.

    A file is never full, as a pipe that nobody reads is. A session of its own: ctrl+C at the
    terminal is for us, and not for the display under the run.
    Raises `DisplayStartError` when `setpriv` is missing.
    """
    setpriv = find_program("setpriv", "util-linux")
    guard = [setpriv, "--pdeathsig", "KILL", "/bin/sh", "-c", _GUARD, str(os.getpid())]

    def start() -> Child:
        with errors.open("ab") as file:
            return subprocess.Popen(  # noqa: S603 - programs of the PATH, no shell
                [*guard, *command],
                env=dict(environment),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=file,
                pass_fds=pass_fds,
                start_new_session=True,
            )

    return _KEPT.get().run(start)


def end_child(child: Child, *, patience: float = _PATIENCE) -> None:
    """Ask a child to end, kill it after `patience` seconds, and reap it.

    One that is stopped (SIGSTOP) is woken to hear it.
    """
    for number in (signal.SIGTERM, signal.SIGCONT):
        child.send_signal(number)
    try:
        child.wait(patience)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()


def how_it_ended(child: Child) -> str:
    """Say in words how a child ended, or that it has not."""
    code = child.poll()
    if code is None:
        return "it still runs"
    return f"killed by {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"


def last_lines(errors: Path, *, without: tuple[str, ...] = ()) -> str:
    """Return the last lines of an error output, few enough for a message; none when it is gone.

    Lines that end as one in `without` are left out.
    """
    try:
        with errors.open("rb") as file:
            file.seek(max(0, os.fstat(file.fileno()).st_size - _TAIL_BYTES))
            text = file.read().decode(errors="replace")
    except FileNotFoundError:
        return ""
    lines = [line for line in text.splitlines() if not (without and line.endswith(without))]
    return "\n".join(lines[-_TAIL_LINES:])


class _Keeper:
    """The thread that starts children."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[tuple[Future[Child], Callable[[], Child]]]
        self._jobs = queue.SimpleQueue()
        threading.Thread(target=self._work, name="windtunnel-children", daemon=True).start()

    def run(self, start: Callable[[], Child]) -> Child:
        """Have it start one."""
        answer: Future[Child] = Future()
        self._jobs.put((answer, start))
        return answer.result()

    def _work(self) -> None:
        while True:
            answer, start = self._jobs.get()
            try:
                answer.set_result(start())
            except BaseException as error:  # noqa: BLE001 - raised where it was asked for
                answer.set_exception(error)
            del answer, start  # or the last child is held until the next one


class _Kept:
    """The keeper of this process; a fork has none of its parent's threads, and makes its own."""

    def __init__(self) -> None:
        self.forget()
        os.register_at_fork(after_in_child=self.forget)

    def forget(self) -> None:
        self._lock = threading.Lock()
        self._keeper: _Keeper | None = None

    def get(self) -> _Keeper:
        with self._lock:
            if self._keeper is None:
                self._keeper = _Keeper()
            return self._keeper


_KEPT: Final = _Kept()
