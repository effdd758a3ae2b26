"""A link: one connection to an X server, with a deadline on all that is asked through it.

It proves that a server is there and lets us in, is kept open for as long as the display is used
(its end is how we learn that the server is gone), reads a property of a window, and sends a message
to the window manager. It is own code because python-xlib waits for ever for a server that is
stopped, and reads the process's DISPLAY and XAUTHORITY while it does. Requests as in the X
protocol's encoding, little-endian.
Imports cookie and address.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Final

from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.display.cookie import METHOD, Cookie, find_cookie
from windtunnel_real.errors import DeadlineError, DisplayDiedError, DisplayStartError

SOCKET_FOLDER: Final = "/tmp/.X11-unix"  # noqa: S108 - where every X server has it
_NAME: Final = re.compile(r"(?:unix)?:(?P<number>\d{1,5})(?:\.\d+)?")
_CREATE_WINDOW: Final = 1
_INTERN_ATOM: Final = 16
_GET_PROPERTY: Final = 20
_SEND_EVENT: Final = 25
_TO_MANAGERS: Final = 1 << 20 | 1 << 19  # SubstructureRedirect, SubstructureNotify
_ERROR, _REPLY, _GENERIC_EVENT = 0, 1, 35


@dataclass(frozen=True, slots=True)
class Screen:
    """What a server says as we connect: root window, size in pixels and in millimetres."""

    root: int
    width: int
    height: int
    width_mm: int
    height_mm: int
    first_id: int
    """The first identity that this connection may give to a window of its own."""


class Link:
    """A connection to a display. Not shared between threads but for `closed` and `wait_closed`."""

    def __init__(self, connected: socket.socket, address: DisplayAddress, screen: Screen) -> None:
        self._socket = connected
        self._probe = 0
        self.address = address
        self.screen = screen

    @classmethod
    def open(cls, address: DisplayAddress, *, timeout: float) -> Link:
        """Connect within `timeout` seconds.

        Raises `DisplayStartError`, which says what to do, when the name is none of this machine,
        when nobody listens there, when the server refuses us and when it does not answer.
        """
        deadline = time.monotonic() + timeout
        number = display_number(address.name)
        cookie = _cookie(address, number)
        try:
            connected = _connected(address.name, number, deadline)
            with ExitStack() as undo:
                undo.callback(connected.close)
                connected.sendall(_hello(cookie))
                screen = _welcome(connected, address, cookie, deadline)
                connected.settimeout(0)
                undo.pop_all()
        except (TimeoutError, BlockingIOError) as error:
            raise _silent(address.name, timeout) from error
        except (OSError, DisplayDiedError) as error:
            raise DisplayStartError(
                f"display {address.name} hung up while we connected ({error}): its server ended, "
                "or what listens there is no X server"
            ) from error
        return cls(connected, address, screen)

    def closed(self) -> bool:
        """Say whether the connection is over: the server is gone, or `close` was called."""
        try:
            while self._socket.recv(65536):
                pass  # each client is told of changed keymaps; nobody here asks for more
        except BlockingIOError:
            return False
        except OSError:
            return True
        return True

    async def wait_closed(self) -> None:
        """Wait until the connection is over."""
        try:
            watched = os.dup(self._socket.fileno())
        except OSError:  # closed by us
            return
        over = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.add_reader(watched, lambda: over.set() if self.closed() else None)
        try:
            await over.wait()
        finally:
            loop.remove_reader(watched)
            os.close(watched)

    def property_of(self, window: int, name: str, *, timeout: float) -> bytes | None:
        """Read the first KiB of a window's property; None: no such window, or not that property.

        Raises `DeadlineError` after `timeout` seconds and `DisplayDiedError`.
        """
        deadline = time.monotonic() + timeout
        with self._within(timeout):
            number = self._atom(name, deadline)
            body = struct.pack("<5I", window, number, 0, 0, 256)
            self._send(_GET_PROPERTY, 0, body, deadline)
            answer = _answer(self._socket, deadline)
        if answer is None or not answer[1]:
            return None
        (units,) = struct.unpack_from("<I", answer, 16)
        return answer[32 : 32 + units * answer[1] // 8]

    def message(self, name: str, *, timeout: float) -> int:
        """Send a window manager's message about a window of our own, never shown; return that.

        It goes to the root window as a ClientMessage. Raises as `property_of` does.
        """
        deadline = time.monotonic() + timeout
        with self._within(timeout):
            if not self._probe:
                window = (self.screen.first_id, self.screen.root)
                self._send(
                    _CREATE_WINDOW, 0, struct.pack("<2I4x6H4x", *window, 1, 1, 0, 1, 0, 0), deadline
                )
                self._probe = self.screen.first_id
            event = struct.pack("<BBHII20x", 33, 32, 0, self._probe, self._atom(name, deadline))
            body = struct.pack("<2I", self.screen.root, _TO_MANAGERS) + event
            self._send(_SEND_EVENT, 0, body, deadline)
        return self._probe

    def close(self) -> None:
        """Hang up, and wake who waits for the end; nothing happens the second time."""
        try:
            self._socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # the other side was quicker
        finally:
            self._socket.close()

    @contextmanager
    def _within(self, timeout: float) -> Iterator[None]:
        try:
            yield
        except TimeoutError as error:
            raise DeadlineError(
                f"display {self.address.name} does not answer within {timeout:g} s"
            ) from error
        except OSError as error:
            raise DisplayDiedError(f"display {self.address.name} hung up: {error}") from error
        finally:
            self._socket.settimeout(0)

    def _atom(self, name: str, deadline: float) -> int:
        text = name.encode("ascii")
        self._send(_INTERN_ATOM, 0, struct.pack("<HH", len(text), 0) + text, deadline)
        answer = _answer(self._socket, deadline)
        return struct.unpack_from("<I", answer, 8)[0] if answer else 0

    def _send(self, opcode: int, detail: int, body: bytes, deadline: float) -> None:
        body += bytes(-len(body) % 4)
        self._socket.settimeout(_left(deadline))
        self._socket.sendall(struct.pack("<BBH", opcode, detail, 1 + len(body) // 4) + body)


def display_number(name: str) -> int:
    """Give the number in a display's name, `:17` or `:17.0`.

    Raises `DisplayStartError` for a name that is no display of this machine.
    """
    found = _NAME.fullmatch(name)
    if found is None:
        raise DisplayStartError(
            f"{name!r} names no display of this machine: give it as :N, such as :1 (programs are "
            "looked after and pictures are taken on the machine itself)"
        )
    return int(found["number"])


def _cookie(address: DisplayAddress, number: int) -> Cookie | None:
    if address.authority is None:
        return None
    try:
        return find_cookie(address.authority, number)
    except OSError as error:
        raise DisplayStartError(
            f"display {address.name}: the authority file {address.authority} cannot be read: "
            f"{error.strerror}; name the one its server was started with (-auth) in XAUTHORITY"
        ) from error


def _connected(name: str, number: int, deadline: float) -> socket.socket:
    """Connect to the socket file or, where the folder is another one, to its abstract twin."""
    path = f"{SOCKET_FOLDER}/X{number}"
    reasons: list[str] = []
    for place in (path, f"\0{path}"):
        connected = socket.socket(socket.AF_UNIX)
        try:
            connected.settimeout(_left(deadline))
            connected.connect(place)
        except (TimeoutError, BlockingIOError):  # so many wait that no more may: it takes nobody
            connected.close()
            raise
        except OSError as error:
            connected.close()
            reasons.append(error.strerror or str(error))
        else:
            return connected
    raise DisplayStartError(
        f"no display {name}: nobody listens at {path} ({reasons[0]}); start one "
        f"(`Xvfb {name} -screen 0 1280x800x24`), name another, or leave --display out to have "
        "one started"
    )


def _hello(cookie: Cookie | None) -> bytes:
    method, secret = (METHOD, cookie.secret) if cookie else (b"", b"")
    lengths = struct.pack("<BxHHHHxx", ord("l"), 11, 0, len(method), len(secret))
    return lengths + b"".join(part + bytes(-len(part) % 4) for part in (method, secret))


def _welcome(
    connected: socket.socket, address: DisplayAddress, cookie: Cookie | None, deadline: float
) -> Screen:
    status, said, _, _, units = struct.unpack("<BBHHH", _read(connected, 8, deadline))
    rest = _read(connected, units * 4, deadline)
    if status != _REPLY:
        raise _refused(address, cookie, rest[:said].decode("latin-1").strip())
    (vendor,) = struct.unpack_from("<H", rest, 16)
    screen = 32 + vendor + -vendor % 4 + 8 * rest[21]  # past the name and the pixmap formats
    (root,) = struct.unpack_from("<I", rest, screen)
    width, height, width_mm, height_mm = struct.unpack_from("<4H", rest, screen + 20)
    (first_id,) = struct.unpack_from("<I", rest, 4)
    return Screen(root, width, height, width_mm, height_mm, first_id)


def _refused(address: DisplayAddress, cookie: Cookie | None, reason: str) -> DisplayStartError:
    where = address.authority or "an authority file (none is known)"
    what = f"the cookie in {where} is not its own" if cookie else f"it has no cookie in {where}"
    return DisplayStartError(
        f"display {address.name} refuses us: {reason or 'it does not say why'}; {what}: name the "
        "file its server was started with (-auth) in XAUTHORITY, or let this user in from a "
        'program that is (`xhost "+si:localuser:$(id -un)"`)'
    )


def _silent(name: str, timeout: float) -> DisplayStartError:
    return DisplayStartError(
        f"display {name} does not answer within {timeout:g} s: its server is stopped, hangs, or "
        "another program holds it (XGrabServer); wake it (`kill -CONT` and its process id), or "
        "start another"
    )


def _answer(connected: socket.socket, deadline: float) -> bytes | None:
    """Read the reply to the one request that is under way; None: the server calls it an error."""
    while True:
        head = _read(connected, 32, deadline)
        kind = head[0] & 0x7F
        if kind == _ERROR:
            return None
        if kind in (_REPLY, _GENERIC_EVENT):
            head += _read(connected, struct.unpack_from("<I", head, 4)[0] * 4, deadline)
        if kind == _REPLY:
            return head


def _read(connected: socket.socket, count: int, deadline: float) -> bytes:
    data = b""
    while len(data) < count:
        connected.settimeout(_left(deadline))
        part = connected.recv(count - len(data))
        if not part:
            raise DisplayDiedError("the server closed the connection")
        data += part
    return data


def _left(deadline: float) -> float:
    """Seconds until a deadline; TimeoutError when none are left (0 would mean: do not wait)."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
