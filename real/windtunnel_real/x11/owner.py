"""The owner: the one thread that a connection's python-xlib display belongs to.

It does jobs one after another and hands out events in between; whatever blocks, blocks it alone.
Imports jobs and the wire.
"""

from __future__ import annotations

import os
import select
import socket
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.errors import DisplayDiedError
from windtunnel_real.x11.errors import refusal
from windtunnel_real.x11.jobs import Job
from windtunnel_real.x11.wire import open_wire
from windtunnel_real.x11.xlib import XDisplay, XEvent, error

OnEvent = Callable[[XDisplay, XEvent], None]
OnTrouble = Callable[[Exception], None]

_HERE: Final = "was closed here"


class Owner:
    """The thread. `submit` and `stop` may be called from any other."""

    def __init__(
        self,
        address: DisplayAddress,
        *,
        on_event: OnEvent | None,
        on_trouble: OnTrouble | None,
        on_end: Callable[[DisplayDiedError], None],
    ) -> None:
        self._address = address
        self._on_event = on_event
        self._on_trouble = on_trouble
        self._on_end = on_end
        self._jobs: deque[Job] = deque()
        self._guard = threading.Lock()
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._socket: socket.socket | None = None
        self._stopping = False
        self._thread: threading.Thread | None = None
        self.ended: DisplayDiedError | None = None
        """Why it has ended; None while it goes on."""

    def start(self, opening: Job) -> None:
        """Start the thread; `opening` is settled when the display is open, or cannot be."""
        # A daemon: a server that is stopped for ever must not keep the process from ending.
        self._thread = threading.Thread(
            target=self._live, args=(opening,), name=f"x11 {self._address.name}", daemon=True
        )
        self._thread.start()

    def join(self, timeout: float) -> None:
        """Wait for the end of a thread that has nothing more to do."""
        if self._thread is not None:
            self._thread.join(timeout)

    def submit(self, job: Job) -> None:
        """Have a job done; raises `DisplayDiedError` once the thread has ended."""
        with self._guard:
            if self.ended is not None:
                raise self.ended
            self._jobs.append(job)
            os.eventfd_write(self._wake, 1)

    def stop(self) -> None:
        """Let it end after what it is doing."""
        self._stopping = True
        with self._guard:
            if self.ended is None:
                os.eventfd_write(self._wake, 1)

    def cut(self) -> None:
        """Shut the socket down: whatever waits for the server ends."""
        self._stopping = True
        found = self._socket
        if found is not None:
            with suppress(OSError):
                found.shutdown(socket.SHUT_RDWR)

    def _live(self, opening: Job) -> None:
        why = _HERE
        try:
            display = self._open(opening)
            if display is not None:
                why = self._serve(display)
        except Exception as problem:  # noqa: BLE001 - nobody may wait for a thread that is gone
            why = f"broke: {problem!r}"
        finally:
            if self._socket is not None:
                self._socket.close()
            self._end(why)

    def _open(self, opening: Job) -> XDisplay | None:
        opening.begun = True
        try:
            timeout = opening.deadline - time.monotonic()
            display = open_wire(self._address, timeout, self._set_socket)
        except Exception as problem:  # noqa: BLE001 - handed over to who waits
            late = time.monotonic() >= opening.deadline
            opening.fail(opening.late() if late else problem)
            return None
        opening.succeed(None)
        return display

    def _set_socket(self, found: socket.socket) -> None:
        self._socket = found
        if self._stopping:
            self.cut()

    def _serve(self, display: XDisplay) -> str:
        waiting = select.poll()
        waiting.register(display.fileno(), select.POLLIN)
        waiting.register(self._wake, select.POLLIN)
        try:
            while not self._stopping:
                if self._jobs:
                    self._do(display, self._jobs.popleft())
                    self._hand_out(display)
                    continue
                ready = {fd for fd, _ in waiting.poll()}
                if self._wake in ready:
                    os.eventfd_read(self._wake)
                if ready - {self._wake}:
                    display.pending_events()
                    self._hand_out(display)
        except error.ConnectionClosedError as closed:
            return _HERE if self._stopping else f"is gone: closed by the {closed.whom}"
        return _HERE

    def _do(self, display: XDisplay, job: Job) -> None:
        job.begun = not job.abandoned
        try:
            job.check()
            display.set_gate(job.check)
            value = job.run(display)
            display.confirm(job.what)
        except error.ConnectionClosedError:
            self._jobs.appendleft(job)  # ends with the others, by the reason of the end
            raise
        except error.XError as refused:
            display.drop()
            job.fail(refusal(refused, job.what))
        except Exception as problem:  # noqa: BLE001 - handed over to who waits
            display.drop()
            job.fail(problem)
        else:
            job.succeed(value)
        finally:
            display.set_gate(_open)

    def _hand_out(self, display: XDisplay) -> None:
        # Until there is none: answering one event may have read the next.
        while events := display.take_events():
            for event in events:
                if self._on_event is not None:
                    self._handle(display, event, self._on_event)

    def _handle(self, display: XDisplay, event: XEvent, on_event: OnEvent) -> None:
        try:
            on_event(display, event)
            display.confirm("in answer to an event")
        except error.ConnectionClosedError:
            raise
        except error.XError as refused:
            display.drop()
            self._trouble(refusal(refused, "in answer to an event"))
        except Exception as problem:  # noqa: BLE001 - handed over to who listens
            display.drop()
            self._trouble(problem)

    def _trouble(self, problem: Exception) -> None:
        if self._on_trouble is not None:
            self._on_trouble(problem)

    def _end(self, why: str) -> None:
        what = "the connection to" if why is _HERE else "the X server of"
        died = DisplayDiedError(f"{what} display {self._address.name} {why}")
        with self._guard:
            self.ended = died
            os.close(self._wake)
        for job in self._jobs:
            job.fail(died)
        self._jobs.clear()
        self._on_end(died)


def _open() -> None:
    """Let every request pass."""
