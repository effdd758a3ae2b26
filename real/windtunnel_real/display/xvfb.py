"""Xvfb: an X server of our own, on a display number that it chooses, behind a cookie of its own.

The server takes the first number that is free and says which (`-displayfd`), so nobody guesses,
scans lock files or races. Imports its address, cookie and link, the
programs and the folders.
"""

from __future__ import annotations

import asyncio
import os
import select
import time
from contextlib import suppress
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Final, Self

from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.display.cookie import Cookie
from windtunnel_real.display.link import SOCKET_FOLDER, Link, Screen
from windtunnel_real.errors import DisplayDiedError, DisplayStartError
from windtunnel_real.folders import make_folder, remove_folder
from windtunnel_real.programs.ending import end_program, how_it_ended, last_lines
from windtunnel_real.programs.finding import find_program
from windtunnel_real.programs.starting import Started, start_program

DPI: Final = 96
_DEPTH: Final = 24
_LONGEST_SIDE: Final = 32767
_END_SEEN: Final = 2.0
"""Seconds in which a server that has hung up is expected to have ended too."""


_NUMBER_TAKEN: Final = (
    "CreateListener: ...SocketCreateListener() failed",
    "MakeAllCOTSServerListeners: server already running",
)


class Xvfb:
    """A server that runs: see `RunningDisplay`. Made by `start`; twelve at once never collide."""

    def __init__(self, child: Started, folder: Path, link: Link) -> None:
        self._child = child
        self._folder = folder
        self._link = link
        self._last_errors: str | None = None

    @classmethod
    def start(cls, size: tuple[int, int] = (1280, 800), *, timeout: float = 10.0) -> Xvfb:
        """Start a server with one screen of `size` pixels, 24 bits deep, 96 dots per inch.

        Blocks until it answers, for `timeout` seconds at most; within an event loop call it by
        `asyncio.to_thread`. Nothing is left of one that does not start.
        Raises `DisplayStartError`: no such size, no Xvfb, no place for its socket, it ended, it
        said nothing.
        """
        deadline = time.monotonic() + timeout
        if not all(0 < side <= _LONGEST_SIDE for side in size):  # the server crashes, or wraps them
            raise DisplayStartError(f"no X server has a screen of {size[0]}x{size[1]} pixels")
        program = find_program("Xvfb")
        check_socket_folder(Path(SOCKET_FOLDER))
        folder = make_folder()
        try:
            return cls._started(program, size, folder, deadline)
        except BaseException:
            remove_folder(folder)
            raise

    @classmethod
    def _started(
        cls,
        program: str,
        size: tuple[int, int],
        home: Path,
        deadline: float,
    ) -> Self:
        Cookie.fresh().write(_authority(home))
        heard, said = os.pipe()
        with open(heard, "rb", buffering=0) as pipe:  # noqa: PTH123 - it has no path
            try:
                with _errors(home).open("ab") as errors:
                    child = start_program(
                        [program, *_arguments(size, _authority(home), said)],
                        _environment(),
                        stderr=errors.fileno(),
                        pass_fds=[said],
                    )
            finally:
                os.close(said)
            try:
                name = f":{_number(pipe.fileno(), deadline)}"
                address = DisplayAddress(name, _authority(home))
                link = Link.open(address, timeout=max(0.0, deadline - time.monotonic()))
            except (EOFError, ValueError, TimeoutError, DisplayStartError) as error:
                raise _failed(child, home, error) from error
            except BaseException:
                end_program(child)
                raise
        return cls(child, home, link)

    @property
    def address(self) -> DisplayAddress:
        """How a program reaches it."""
        return self._link.address

    @property
    def screen(self) -> Screen:
        """Its size, in pixels and millimetres."""
        return self._link.screen

    @property
    def pid(self) -> int:
        """The server's process."""
        return self._child.pid

    def alive(self) -> bool:
        """Say whether the server's process is there; one that is stopped is."""
        return self._child.poll() is None and not self._link.closed()

    async def died(self) -> DisplayDiedError:
        """Wait until the server is gone, or `stop` was called, and return what to raise."""
        await self._link.wait_closed()
        if self._last_errors is not None:
            return DisplayDiedError(f"display {self.address.name} was stopped")
        deadline = time.monotonic() + _END_SEEN
        while self._child.poll() is None and time.monotonic() < deadline:  # noqa: ASYNC110 - reaped by asking
            await asyncio.sleep(0.002)
        return DisplayDiedError(
            f"the X server of display {self.address.name} is gone: {how_it_ended(self._child)}"
            f"{_quoted(self.errors())}"
        )

    def errors(self) -> str:
        """Return the last lines that the server wrote to its error output."""
        if self._last_errors is not None:
            return self._last_errors
        return _own_errors(self._folder)

    def stop(self) -> None:
        """End the server and reap it, and remove its cookie and folder; seconds at most."""
        if self._last_errors is not None:
            return
        self._last_errors = self.errors()
        end_program(self._child)
        self._link.close()
        remove_folder(self._folder)


def check_socket_folder(folder: Path) -> None:
    """See that a server can make its socket in the folder, or the folder where there is none.

    One that cannot tries each of the display numbers instead, for minutes, and fills its error
    output. Raises `DisplayStartError`, which says what to do.
    """
    if folder.exists() and not folder.is_dir():
        problem = f"{folder} is not a folder: remove it"
    elif folder.exists() and not os.access(folder, os.W_OK | os.X_OK):
        problem = (
            f"the folder {folder} cannot be written to: `chmod 1777 {folder}` as root, or in a "
            "container mount it writable (tmpfs)"
        )
    elif not folder.exists() and not os.access(folder.parent, os.W_OK | os.X_OK):
        problem = (
            f"there is no folder {folder} and it cannot be made: as root `mkdir -m 1777 {folder}`, "
            f"or in a container mount {folder.parent} writable (tmpfs)"
        )
    else:
        return
    raise DisplayStartError(f"no X server can start: {problem}")


def _arguments(size: tuple[int, int], authority: Path, said: int) -> list[str]:
    screen = f"{size[0]}x{size[1]}x{_DEPTH}"
    return [
        *("-displayfd", str(said)),
        *("-auth", str(authority)),
        *("-screen", "0", screen),
        *("-dpi", str(DPI)),  # or it is 100
        "-noreset",  # or it forgets everything when its last client leaves
        *("-nolisten", "tcp"),
        *("+extension", "XTEST"),
        *("+extension", "MIT-SHM"),
    ]


def _environment() -> dict[str, str]:
    """Return our own without the display that we may be on; the server runs xkbcomp by PATH."""
    ours = ("DISPLAY", "XAUTHORITY", "WAYLAND_DISPLAY")
    return {name: value for name, value in os.environ.items() if name not in ours}


def _number(pipe: int, deadline: float) -> int:
    """Read the display's number; `EOFError`: the server ended, `TimeoutError`: it is silent."""
    poll = select.poll()
    poll.register(pipe, select.POLLIN)
    said = b""
    while not said.endswith(b"\n"):
        left = deadline - time.monotonic()
        if left <= 0 or not poll.poll(left * 1000):
            raise TimeoutError
        part = os.read(pipe, 64)
        if not part:
            raise EOFError
        said += part
    return int(said)


def _failed(child: Started, home: Path, error: Exception) -> DisplayStartError:
    """End a server that did not start, and say why, with what it wrote."""
    if isinstance(error, EOFError):
        with suppress(TimeoutExpired):
            child.wait(_END_SEEN)
    ended = how_it_ended(child)
    end_program(child)
    match error:
        case EOFError():
            what = f"Xvfb ended while it started: {ended}"
        case TimeoutError():
            what = "Xvfb did not say its display number in time, and was ended"
        case ValueError():
            what = f"the program Xvfb on the PATH says no display number: {error}"
        case _:
            what = f"Xvfb started, but {error}"
    return DisplayStartError(f"{what}{_quoted(_own_errors(home))}")


def _own_errors(home: Path) -> str:
    """Return the last lines, without those that only say which display numbers were taken."""
    return last_lines(_errors(home), without=_NUMBER_TAKEN)


def _quoted(lines: str) -> str:
    return f"; it wrote:\n{lines}" if lines else "; it wrote nothing to its error output"


def _authority(home: Path) -> Path:
    return home / "Xauthority"


def _errors(home: Path) -> Path:
    return home / "stderr"
