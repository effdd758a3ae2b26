"""A start: a program comes to run that never outlives this process, kill -9 included.

One thread that lives as long as the process starts them all, since the guard is bound to the thread
that starts: so any thread may ask, such as one of `asyncio.to_thread`. Imports the guard.
"""

from __future__ import annotations

import os
import queue
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from typing import Final

from windtunnel_real.programs.guard import guarded

Started = subprocess.Popen[bytes]


def start_program(
    argv: Sequence[str],
    environment: Mapping[str, str],
    *,
    stdout: int = subprocess.DEVNULL,
    stderr: int = subprocess.DEVNULL,
    pass_fds: Sequence[int] = (),
    held: bool = False,
) -> Started:
    """Start a program in a session of its own: ctrl+C at the terminal is for us, not for it.

    `stdout` and `stderr` are descriptors, of files where possible: a file is never full, as a pipe
    that nobody reads is. `held`: see `guarded`. Raises `MissingProgramError`, and `OSError`.
    """
    command = guarded(argv, environment, held=held)

    def start() -> Started:
        return subprocess.Popen(  # noqa: S603 - the shell's text is ours, the program an argument
            command,
            env=dict(environment),
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            pass_fds=pass_fds,
            start_new_session=True,
        )

    return _KEPT.get().run(start)


class _Keeper:
    """The thread that starts programs."""

    def __init__(self) -> None:
        self._jobs: queue.SimpleQueue[tuple[Future[Started], Callable[[], Started]]]
        self._jobs = queue.SimpleQueue()
        threading.Thread(target=self._work, name="windtunnel-programs", daemon=True).start()

    def run(self, start: Callable[[], Started]) -> Started:
        """Have it start one; what is started for somebody who was interrupted is ended."""
        answer: Future[Started] = Future()
        self._jobs.put((answer, start))
        try:
            return answer.result()
        except BaseException:
            answer.add_done_callback(_end_unwanted)
            raise

    def _work(self) -> None:
        while True:
            answer, start = self._jobs.get()
            try:
                answer.set_result(start())
            except BaseException as error:  # noqa: BLE001 - raised where it was asked for
                answer.set_exception(error)
            del answer, start  # or the last program is held until the next one


def _end_unwanted(answer: Future[Started]) -> None:
    if answer.exception() is None:
        process = answer.result()
        process.kill()
        process.wait()


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
