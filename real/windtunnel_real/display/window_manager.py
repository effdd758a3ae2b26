"""A window manager: openbox on one display, under the configuration that we ship.

`openbox.xml` beside this file says what it does differently, and why. Imports the address, the
link, the programs and the folders.
"""

from __future__ import annotations

import struct
import time
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Final

from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.display.link import Link
from windtunnel_real.errors import DeadlineError, DisplayDiedError, DisplayStartError
from windtunnel_real.folders import make_folder, remove_folder
from windtunnel_real.programs.ending import end_program, how_it_ended, last_lines
from windtunnel_real.programs.finding import find_program
from windtunnel_real.programs.starting import Started, start_program

CONFIGURATION: Final = Path(__file__).with_name("openbox.xml")
_CHECK: Final = "_NET_SUPPORTING_WM_CHECK"
_POLL_S: Final = 0.005
_GRACE_S: Final = 1.0
"""What a question that is asked just before the deadline gets, or its answer would be blamed."""


class WindowManager:
    """An openbox that runs. Made by `start`; it ends with this process, or with the display."""

    def __init__(self, child: Started, folder: Path) -> None:
        self._child = child
        self._folder = folder
        self._last_errors: str | None = None

    @classmethod
    def start(
        cls,
        address: DisplayAddress,
        *,
        timeout: float = 10.0,
        configuration: Path = CONFIGURATION,
    ) -> WindowManager:
        """Start openbox on a display and wait, for `timeout` seconds at most, until it manages it.

        Blocks; within an event loop call it by `asyncio.to_thread`. The user's own configuration of
        openbox is neither read nor written. Raises `DisplayStartError`: no openbox, a window
        manager is there already, it ended, it does not get ready, the display does not answer.
        """
        deadline = time.monotonic() + timeout
        program = find_program("openbox")
        with ExitStack() as undo, closing(Link.open(address, timeout=timeout)) as link:
            try:
                if is_managed(link, timeout=timeout):
                    raise DisplayStartError(
                        f"display {address.name} has a window manager already: end it, or run "
                        "under it"
                    )
                folder = make_folder()
                undo.callback(remove_folder, folder)
                child = _child(program, address, configuration, folder)
                undo.callback(end_program, child)
                _wait_ready(child, link, deadline, _errors(folder))
            except (DeadlineError, DisplayDiedError) as error:
                raise DisplayStartError(f"openbox cannot manage its display: {error}") from error
            undo.pop_all()
            return cls(child, folder)

    @property
    def pid(self) -> int:
        """Its process."""
        return self._child.pid

    def alive(self) -> bool:
        """Say whether its process is there."""
        return self._child.poll() is None

    def errors(self) -> str:
        """Return the last lines that it wrote to its error output."""
        if self._last_errors is not None:
            return self._last_errors
        return last_lines(_errors(self._folder))

    def stop(self) -> None:
        """End it and reap it; windows stay where they are. Seconds at most; twice is once."""
        if self._last_errors is not None:
            return
        self._last_errors = self.errors()
        end_program(self._child)
        remove_folder(self._folder)


def is_managed(link: Link, *, timeout: float) -> bool:
    """Say whether a window manager runs on a display.

    By the window that the root names, which has to name itself: the root's word alone may be left
    over from one that was killed (Extended Window Manager Hints, `_NET_SUPPORTING_WM_CHECK`).
    Raises `DeadlineError` and `DisplayDiedError`.
    """
    named = link.property_of(link.screen.root, _CHECK, timeout=timeout)
    if not named:
        return False
    window = struct.unpack_from("<I", named)[0]
    return link.property_of(window, _CHECK, timeout=timeout) == named


def _child(program: str, address: DisplayAddress, configuration: Path, home: Path) -> Started:
    own = {name: str(home) for name in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME")}
    command = [program, "--config-file", str(configuration), "--sm-disable"]
    with _errors(home).open("ab") as errors:
        return start_program(command, address.environment() | own, stderr=errors.fileno())


def _wait_ready(child: Started, link: Link, deadline: float, errors: Path) -> None:
    """Wait until it manages the display and answers.

    It is seen to manage before it first looks at its events, and those that came until then lie
    until the next one: the first window of 27 of 30 displays was never shown. So it is asked until
    it answers, and each question wakes it.
    """
    while not (
        is_managed(link, timeout=_left(deadline)) and _answers(link, timeout=_left(deadline))
    ):
        wrote = f"it wrote:\n{last_lines(errors) or '(nothing)'}"
        if child.poll() is not None:
            raise DisplayStartError(
                f"openbox ended while it started: {how_it_ended(child)}; {wrote}"
            )
        if time.monotonic() > deadline:
            raise DisplayStartError(
                f"openbox does not manage display {link.address.name} in time, and was ended; "
                f"{wrote}"
            )
        time.sleep(_POLL_S)


def _answers(link: Link, *, timeout: float) -> bool:
    """Ask for the borders of a window, and say whether an answer has come, to this or before."""
    window = link.message("_NET_REQUEST_FRAME_EXTENTS", timeout=timeout)
    return link.property_of(window, "_NET_FRAME_EXTENTS", timeout=timeout) is not None


def _left(deadline: float) -> float:
    return max(_GRACE_S, deadline - time.monotonic())


def _errors(home: Path) -> Path:
    return home / "stderr"
