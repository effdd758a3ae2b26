"""The control: the stand-in's Unix socket, and who is connected to it.

A request is a JSON object on a line: `id`, `do`, and what that asks for. Replies come in order with
the same `id` and `ok`; in between each connection gets every line of the log as `{"log": …}`.
Imports the log's form.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from windtunnel_real.errors import StandinError
from windtunnel_real.standin.log import Line, as_line

Answer = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Does what a request asks for and returns what the reply holds.

Raises `StandinError` for what cannot be done: the reply then says why.
"""
MOST_WAITING: Final = 16 << 20
"""Bytes that wait for a client which does not read; one that lets more wait is cut off."""
LONGEST_LINE: Final = 1 << 20


class Client:
    """One connection: what came in and is no whole line yet, and what waits to go out."""

    def __init__(self, connection: socket.socket) -> None:
        self.connection = connection
        connection.setblocking(False)  # noqa: FBT003 - the socket's own signature
        self._came = b""
        self._going = bytearray()
        self.is_gone = False

    def fileno(self) -> int:
        """Return its descriptor."""
        return self.connection.fileno()

    @property
    def has_output(self) -> bool:
        """Whether something waits to go out."""
        return bool(self._going)

    def lines(self) -> list[bytes]:
        """Return the lines that have come in."""
        try:
            came = self.connection.recv(1 << 16)
        except BlockingIOError:
            return []
        except OSError:
            came = b""
        if not came:
            self.is_gone = True
        *lines, self._came = (self._came + came).split(b"\n")
        self.is_gone = self.is_gone or len(self._came) > LONGEST_LINE
        return lines

    def send(self, line: str) -> None:
        """Let a line go out, now or when it can."""
        self._going += line.encode(errors="backslashreplace")
        self.flush()

    def flush(self) -> None:
        """Send what waits, as far as that does not wait."""
        try:
            while self._going:
                del self._going[: self.connection.send(self._going)]
        except BlockingIOError:
            self.is_gone = self.is_gone or len(self._going) > MOST_WAITING
        except OSError:
            self.is_gone = True


class Control:
    """The socket that listens, and its clients.

    Raises `StandinError` for a path that cannot be listened on.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        before = os.umask(0o077)
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            # Nobody listens there any more: whoever starts holds the lock of the data folder.
            path.unlink(missing_ok=True)
            self.listener.bind(str(path))
            self.listener.listen(8)
        except OSError as error:
            self.listener.close()
            raise StandinError(f"the stand-in cannot listen on {path}: {error}") from error
        finally:
            os.umask(before)
        self.listener.setblocking(False)  # noqa: FBT003 - the socket's own signature
        self.clients: list[Client] = []
        self._unheard: list[str] | None = []

    def accept(self) -> Client | None:
        """Take a connection that waits."""
        try:
            client = Client(self.listener.accept()[0])
        except OSError:
            return None
        self.clients.append(client)
        unheard, self._unheard = self._unheard, None
        for text in unheard or ():
            client.send(text)
        return client

    def push(self, line: Line) -> None:
        """Send a line of the log to everybody; what nobody has heard waits for the first one."""
        text = as_line({"log": line})
        if self._unheard is not None:
            self._unheard.append(text)
        for client in self.clients:
            client.send(text)

    def serve(self, client: Client, answer: Answer) -> None:
        """Answer the requests that have come from a client."""
        for line in client.lines():
            if line.strip():
                client.send(as_line(reply(line, answer)))

    def drop(self) -> list[Client]:
        """Close the connections that are gone, and return them."""
        gone = [client for client in self.clients if client.is_gone]
        self.clients = [client for client in self.clients if not client.is_gone]
        return gone


def reply(line: bytes, answer: Answer) -> dict[str, Any]:
    """Return the reply to a request as it came: any line has one."""
    number: object = None
    try:
        request = json.loads(line)
        if not isinstance(request, dict):
            return {"id": number, "ok": False, "error": "a request is a JSON object"}
        number = request.get("id")
        return {"id": number, "ok": True, **answer(request)}
    except (ValueError, RecursionError) as error:
        return {"id": number, "ok": False, "error": f"not a line of JSON: {error}"}
    except StandinError as error:
        return {"id": number, "ok": False, "error": str(error)}
