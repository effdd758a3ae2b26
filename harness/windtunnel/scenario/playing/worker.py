"""A worker: one process that plays cells, which its parent can always end.

The code under test may loop for ever, exit, crash or print: it does so in here, and the parent
learns of it. Imports multiprocessing and the results, no world.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.context import BaseContext
from multiprocessing.process import BaseProcess
from multiprocessing.reduction import ForkingPickler
from typing import Any, Final

from windtunnel.checks.base import Verdict
from windtunnel.errors import WindtunnelError, WorldError, WorldUnavailableError
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.playing import pulse
from windtunnel.scenario.results import CellResult

Play = Callable[[Cell], CellResult]

_TAIL: Final = 16_384
"""Bytes kept of what a cell prints."""
_DRAIN: Final = 1 << 16
_PR_SET_PDEATHSIG: Final = 1
_BEAT: Final = 0.5
"""Seconds between two signs of life."""
_LAST_MOMENT: Final = 1.0
"""Seconds in which a process that has closed its pipe should be gone."""


class Worker:
    """A process that plays one cell at a time, seen from its parent.

    `cells` and `play` are inherited by fork (pickled where there is none); only indices go in and
    results come out. What a cell prints is read through a pipe of its own, and its end is kept.
    """

    def __init__(self, context: BaseContext, cells: Sequence[Cell], play: Play) -> None:
        self.connection, child = context.Pipe()
        self.output, printed = context.Pipe(duplex=False)
        self._process: BaseProcess = context.Process(  # type: ignore[attr-defined]  # typeshed
            target=serve, args=(child, printed, cells, play, os.getpid()), daemon=True
        )
        self._process.start()
        child.close()
        printed.close()
        os.set_blocking(self.output.fileno(), False)
        self._tail = b""
        self.index: int | None = None
        """The cell it plays; None while it is idle."""
        self.started = 0.0
        """When that cell began, by `time.monotonic()`."""
        self.heard = 0.0
        """When it began, or last gave a sign of life."""
        self.dead = False

    @property
    def sentinel(self) -> int:
        """Becomes ready when the process ends (unless what it started lives on)."""
        return self._process.sentinel

    def start(self, index: int) -> None:
        """Hand over a cell; a worker that has died meanwhile shows it by `dead`."""
        self._drain()
        self._tail = b""
        self.index = index
        self.started = self.heard = time.monotonic()
        with contextlib.suppress(OSError):
            self.connection.send(index)

    def poll(self) -> CellResult | None:
        """Return the result that is ready, or None; a process that is gone sets `dead`."""
        gone = self._process.exitcode is not None  # asked first: its last words may lie in the pipe
        self._drain()
        try:
            while self.connection.poll():
                found: CellResult | None = self.connection.recv()
                if found is None:  # a sign of life
                    self.heard = time.monotonic()
                    continue
                self._drain()
                self.index = None
                return found
        except Exception:  # noqa: BLE001 - closed, cut short, or a value that cannot be rebuilt here
            gone = True
        self.dead = gone
        return None

    def printed(self) -> str:
        """Return the end of what the cell has printed since it began, as far as it was read."""
        return self._tail.decode(errors="replace")

    def interrupt(self) -> None:
        """Interrupt a busy process, so that a world can undo what it did."""
        if self.index is not None:
            self._signal(signal.SIGINT)

    def end(self) -> str:
        """End the process and all it started; return how it ended: `exit code 3`, `signal 11`."""
        self._drain()
        wait([self._process.sentinel], _LAST_MOMENT if self.dead else 0)
        self._signal(signal.SIGKILL)
        self._process.join()
        self._drain()
        self.connection.close()
        self.output.close()
        code = self._process.exitcode or 0
        return f"exit code {code}" if code >= 0 else f"signal {-code} ({_signal_name(-code)})"

    def _drain(self) -> None:
        with contextlib.suppress(BlockingIOError, OSError):
            while block := os.read(self.output.fileno(), _DRAIN):
                self._tail = (self._tail + block)[-_TAIL:]
                if len(block) < _DRAIN:
                    break

    def _signal(self, number: signal.Signals) -> None:
        """Signal the process and, as it leads a group of its own, whatever it has started.

        It gets the signal once: a second interrupt would cut short what it does to undo.
        """
        pid = self._process.pid
        if pid is None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            try:
                os.killpg(pid, number)
            except ProcessLookupError:  # it may not have made its group yet
                if self._process.exitcode is None:
                    os.kill(pid, number)


def lacked_its_world(result: CellResult) -> bool:
    """Tell whether a cell was skipped because its world is not there: it left no trace."""
    return result.verdict is Verdict.SKIPPED and not result.digest


def serve(
    connection: Connection, output: Connection, cells: Sequence[Cell], play: Play, parent: int
) -> None:
    """Play the cells whose indices come in and send the results, until the parent is gone.

    Runs in the worker's process, which it ends: threads that the code under test has left behind
    are not waited for.
    """
    _end_with(parent)
    _detach(output)
    pulse.listen(_paced(lambda: connection.send(None)))
    with contextlib.suppress(EOFError, OSError):
        while True:
            cell = cells[connection.recv()]
            answer = _attempt(cell, play)
            sys.stdout.flush()
            sys.stderr.flush()
            connection.send_bytes(answer)
    os._exit(0)


def _paced(send: pulse.Beat) -> pulse.Beat:
    """Return a beat that is sent on at most once in a while."""
    last = time.monotonic()

    def beat() -> None:
        nonlocal last
        if time.monotonic() - last >= _BEAT:
            last = time.monotonic()
            send()

    return beat


def _attempt(cell: Cell, play: Play) -> bytes:
    """Return the pickled result; a fault of the tool itself is a result too."""
    began, environment = time.monotonic(), False
    try:
        return bytes(ForkingPickler.dumps(play(cell)))
    except WorldUnavailableError as error:
        verdict, reason = Verdict.SKIPPED, str(error)
    except WorldError as error:
        verdict, environment = Verdict.ERROR, True
        reason = "; ".join((str(error), *getattr(error, "__notes__", ())))  # where its frames are
    except WindtunnelError as error:
        verdict, reason = Verdict.ERROR, str(error)
    except Exception as error:  # noqa: BLE001 - whatever it is, the other cells go on
        traceback.print_exc()
        verdict = Verdict.ERROR
        reason = f"internal error: {type(error).__name__}: {error}; please report it"
    seconds = time.monotonic() - began
    result = CellResult.of(cell, verdict, reason, environment=environment, seconds=seconds)
    return bytes(ForkingPickler.dumps(result))


def _end_with(parent: int) -> None:
    """Have the kernel end this process with its parent, even in a loop that never looks up."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:  # it was gone before
            os._exit(0)


def _detach(output: Connection) -> None:
    """Leave the parent's terminal and streams: prints go to the pipe, signals do what they do."""
    os.setsid()
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(output.fileno(), 1)
    os.dup2(output.fileno(), 2)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - lives as long as the process
    sys.stdout = _printer(1)
    sys.stderr = _printer(2)
    faulthandler.enable()  # a crash says where


def _printer(descriptor: int) -> Any:  # noqa: ANN401 - a text stream
    return open(
        descriptor, "w", buffering=1, encoding="utf-8", errors="backslashreplace", closefd=False
    )


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unnamed"
