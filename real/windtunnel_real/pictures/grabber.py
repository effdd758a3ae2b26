"""The grabber: one connection to a display over which its pixels are copied, in one thread.

It is mss's own connection, the display's memory shared with this process where the server can do
that (MIT-SHM 1.2 on the same machine), else mss's XGetImage over the socket. mss copies the shared
memory into new memory at each picture and that has to be copied once more into `bytes`; with two
such blocks made and dropped for each picture, the C library gives them back to the system again
and again (4 ms instead of 0.4). So the shared memory is read here. The one file that imports mss.
Imports the display's address and link, pixels and errors.
"""

from __future__ import annotations

import ctypes
import os
import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import Final

import numpy as np
from mss.exception import ScreenShotError
from mss.linux.base import ALL_PLANES
from mss.linux.xcbgen import ImageFormat, get_geometry, shm_get_image
from mss.linux.xcbhelpers import LIB, Connection
from mss.linux.xshmgetimage import MSSImplXShmGetImage, ShmStatus

from windtunnel.ports import Frame, Region
from windtunnel_real.display.address import DisplayAddress, as_environment
from windtunnel_real.display.link import Link
from windtunnel_real.errors import DisplayDiedError, DisplayStartError, InputError
from windtunnel_real.pictures.pixels import BYTES, COLOUR, PIXEL, Colours

_BROKEN: Final = (ScreenShotError, AssertionError, ValueError)
"""What mss raises; the latter two where a connection that has broken gives it no reply."""


class Grabber:
    """Copies the pixels of one display."""

    def __init__(self, address: DisplayAddress, timeout: float) -> None:
        """Connect; raises `DisplayStartError`.

        So it does when the server does not answer in `timeout` seconds, refuses us, or has another
        kind of pixels than 24 bits deep.
        """
        self._address = address
        self._timeout = timeout
        self._work = np.empty(0, PIXEL)
        self._open()

    @property
    def shared(self) -> bool:
        """Whether pictures come through shared memory."""
        return self._mss.shm_status is ShmStatus.AVAILABLE

    def grab(self, region: Region | None) -> Frame:
        """Return the pixels of a region, or of the whole display, in the normal form.

        Raises `InputError` for a region that does not lie on the display, and `DisplayDiedError`.
        """
        with self._told():
            size = self._size()
            wanted = region or Region(0, 0, *size)
            _check(wanted, *size)
            pixels = self._shared(wanted) if self.shared else self._sent(wanted)
        return Frame(wanted.width, wanted.height, pixels)

    def interrupt(self) -> None:
        """Break the connection, so that a grab that waits for the server ends; from any thread."""
        with suppress(OSError):
            self._line.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Let go of the display."""
        self._line.close()
        # What is broken is told once more here; its memory has been given back all the same.
        with suppress(*_BROKEN, BufferError):
            self._mss.close()

    def _open(self) -> None:
        name = self._address.name
        # The C library would wait for a stopped server for ever, and keep every other display
        # waiting with it. The link is kept for so long: some servers start anew, and let nobody
        # in meanwhile, when their last client leaves.
        with closing(Link.open(self._address, timeout=self._timeout)):
            try:
                with as_environment(self._address):
                    self._mss = MSSImplXShmGetImage(display=name)
            except _BROKEN as error:
                raise DisplayStartError(f"{name} cannot be captured: {error}") from error
        self._line = _line(self._mss)
        try:
            with self._told():
                # Whether the memory can be shared shows at the first picture only.
                self._mss.grab({"left": 0, "top": 0, "width": 1, "height": 1})
        except BaseException:
            self.close()
            raise

    def _size(self) -> tuple[int, int]:
        """Return the display's size; it may have changed since the last picture."""
        shape = get_geometry(self._conn(), self._mss.root)
        size = (int(shape.width), int(shape.height))
        pixels = size[0] * size[1]
        if pixels > self._work.size:
            self._work = np.empty(pixels, PIXEL)
        if self.shared and pixels * BYTES > self._mss._bufsize:  # noqa: SLF001 - see the module
            self._reopen()
        return size

    def _reopen(self) -> None:
        """Connect anew: mss shares as much memory as the display had when it connected."""
        self.close()
        try:
            self._open()
        except DisplayStartError as error:
            raise DisplayDiedError(f"{self._address.name} let us in no more: {error}") from error

    def _shared(self, region: Region) -> bytes:
        segment, memory = self._mss._shmseg, self._mss._buf  # noqa: SLF001 - see the module
        assert segment is not None
        assert memory is not None
        shm_get_image(
            self._conn(),
            self._mss.drawable,
            region.x,
            region.y,
            region.width,
            region.height,
            ALL_PLANES,
            ImageFormat.ZPixmap,
            segment,
            0,
        )
        return self._normal(np.frombuffer(memory, PIXEL, region.width * region.height))

    def _sent(self, region: Region) -> bytes:
        box = {"left": region.x, "top": region.y, "width": region.width, "height": region.height}
        return self._normal(np.frombuffer(self._mss.grab(box), PIXEL))

    def _normal(self, shown: Colours) -> bytes:
        if shown.max() <= COLOUR:
            return shown.tobytes()
        work = self._work[: shown.size]
        np.bitwise_and(shown, COLOUR, out=work)
        return work.tobytes()

    def _conn(self) -> Connection:
        conn: Connection | None = self._mss.conn
        if conn is None:
            raise InputError(f"the capture of {self._address.name} is closed")
        return conn

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Tell what mss raises by type."""
        name = self._address.name
        try:
            yield
        except _BROKEN as error:
            if LIB.xcb.xcb_connection_has_error(self._conn()):
                raise DisplayDiedError(f"the X server of {name} is gone") from error
            raise InputError(f"{name} gives no picture of itself: {error}") from error


def _check(region: Region, width: int, height: int) -> None:
    """Refuse what sticks out: a picture has the size that was asked for, or is none."""
    right, bottom = region.x + region.width, region.y + region.height
    whole = region.width > 0 and region.height > 0
    if not whole or region.x < 0 or region.y < 0 or right > width or bottom > height:
        raise InputError(
            f"the region of {region.width}×{region.height} pixels at {region.x},{region.y} does"
            f" not lie on the display, which has {width}×{height}"
        )


def _line(grabbed: MSSImplXShmGetImage) -> socket.socket:
    """Return the connection's socket, held a second time: it outlives the connection's end."""
    assert grabbed.conn is not None
    number = LIB.xcb.xcb_get_file_descriptor(ctypes.byref(grabbed.conn))
    return socket.socket(fileno=os.dup(number))
