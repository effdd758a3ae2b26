"""An attached display: an X server that somebody else started and that stays when we go.

Imports its address, cookie and link, and the folders.
"""

from __future__ import annotations

import os
from pathlib import Path

from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.display.cookie import find_cookie
from windtunnel_real.display.link import Link, Screen, display_number
from windtunnel_real.errors import DisplayDiedError
from windtunnel_real.folders import make_folder, remove_folder


class Attached:
    """A display that was there: see `RunningDisplay`. Made by `to`."""

    def __init__(self, link: Link, address: DisplayAddress, folder: Path) -> None:
        self._link = link
        self._address = address
        self._folder = folder
        self._stopped = False

    @classmethod
    def to(cls, name: str, authority: Path | None = None, timeout: float = 10.0) -> Attached:
        """Attach to display `name` (`:1`) of this machine, within `timeout` seconds.

        `authority` is the file with its cookie; None: the one that XAUTHORITY names, or
        `~/.Xauthority`. The cookie is copied to a file of our own, in the form that each library
        finds: python-xlib overlooks entries that libxcb takes (family wild).
        Raises `DisplayStartError`, which says what to do: no such display, no cookie or the wrong
        one, refused, no answer in time.
        """
        source = authority or _default_authority()
        link = Link.open(DisplayAddress(name, source), timeout=timeout)
        folder = None
        try:
            folder = make_folder()
            return cls(link, DisplayAddress(name, _copied(source, name, folder)), folder)
        except BaseException:
            link.close()
            if folder is not None:
                remove_folder(folder)
            raise

    @property
    def address(self) -> DisplayAddress:
        """How a program reaches it."""
        return self._address

    @property
    def screen(self) -> Screen:
        """Its size, in pixels and millimetres."""
        return self._link.screen

    def alive(self) -> bool:
        """Say whether its server is there and `stop` was not called."""
        return not self._link.closed()

    async def died(self) -> DisplayDiedError:
        """Wait until the server is gone, or `stop` was called, and return what to raise."""
        await self._link.wait_closed()
        what = "was let go" if self._stopped else "is gone: its server hung up"
        return DisplayDiedError(f"display {self._address.name} {what}")

    def errors(self) -> str:
        """Return nothing: its error output is with who started it."""
        return ""

    def stop(self) -> None:
        """Let go of the display, which stays as it is, and remove our copy of its cookie."""
        self._stopped = True
        self._link.close()
        remove_folder(self._folder)


def _default_authority() -> Path | None:
    """Return the file that Xlib's programs would read; None: there is none."""
    named = os.environ.get("XAUTHORITY")
    usual = Path(named) if named else Path.home() / ".Xauthority"
    return usual if usual.exists() else None


def _copied(source: Path | None, name: str, folder: Path) -> Path | None:
    """Copy the cookie of a display to our own folder; where it has none, name the file itself."""
    if source is None:
        return None
    cookie = find_cookie(source, display_number(name))
    if cookie is None:
        return source
    copy = folder / "Xauthority"
    cookie.write(copy)
    return copy
