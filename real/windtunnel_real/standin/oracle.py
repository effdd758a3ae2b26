"""The oracle: the client of the stand-in's control socket, for asyncio.

It asks, and hears every line of the log in order. Imports the errors.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any, Final

from windtunnel_real.errors import DeadlineError, StandinError

Listener = Callable[[Mapping[str, Any]], None]
_LIMIT: Final = 1 << 26
_RETRY_S: Final = 0.005


class Oracle:
    """A connection to one stand-in's process. Made by `connect`.

    A call raises `DeadlineError` after its `timeout` seconds, whatever the process does (it may be
    stopped), and `StandinError` when it refuses, or is gone.
    """

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._numbers = count(1)
        self._waiting: dict[int, asyncio.Future[Mapping[str, Any]]] = {}
        self._listeners: list[Listener] = []
        self.lost = asyncio.Event()
        """Set once the process is gone, or `close` was called."""
        self._reading = asyncio.create_task(self._read(reader), name="oracle")

    @classmethod
    async def connect(cls, path: Path, timeout: float) -> Oracle:
        """Connect as soon as somebody listens on the socket.

        Raises `DeadlineError` if nobody does within `timeout` seconds.
        """
        try:
            async with asyncio.timeout(timeout):
                while True:
                    with suppress(ConnectionError, FileNotFoundError):
                        return cls(*await asyncio.open_unix_connection(path, limit=_LIMIT))
                    await asyncio.sleep(_RETRY_S)
        except TimeoutError as error:
            raise DeadlineError(f"no stand-in answers on {path} after {timeout:g} s") from error
        except OSError as error:
            raise StandinError(
                f"the stand-in's socket {path} cannot be reached: {error}"
            ) from error

    @property
    def closed(self) -> bool:
        """Whether the process is gone, or this was closed."""
        return self.lost.is_set()

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Call `listener(line)` at each line of the log; returns a function that stops it.

        Lines come in order, and before the reply to any request that was made after them.
        """
        self._listeners.append(listener)

        def stop() -> None:
            with suppress(ValueError):
                self._listeners.remove(listener)

        return stop

    async def ask(self, do: str, *, timeout: float, **fields: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
        """Ask for something, one of `commands.COMMANDS`, and return the reply's fields."""
        if self.closed:
            raise StandinError(f"the stand-in is gone: it cannot be asked to `{do}`")
        number = next(self._numbers)
        reply = asyncio.get_running_loop().create_future()
        self._waiting[number] = reply
        try:
            line = json.dumps({"id": number, "do": do, **fields})
            self._writer.write(line.encode() + b"\n")
            async with asyncio.timeout(timeout):
                found: Mapping[str, Any] = await reply
        except TimeoutError as error:
            raise DeadlineError(f"the stand-in did not `{do}` within {timeout:g} s") from error
        finally:
            self._waiting.pop(number, None)
        if not found["ok"]:
            raise StandinError(f"the stand-in refuses to `{do}`: {found['error']}")
        return found

    async def drain(self, timeout: float) -> None:
        """Return once it has handled, and shows, every event that its display had for it by now."""
        await self.ask("drain", timeout=timeout)

    async def close(self) -> None:
        """Let go of the connection; nothing happens to the process."""
        self._reading.cancel()
        with suppress(asyncio.CancelledError):
            await self._reading
        self.lost.set()
        self._writer.close()  # a reading that never began has not done so

    async def _read(self, reader: asyncio.StreamReader) -> None:
        try:
            while line := await reader.readline():
                self._take(json.loads(line))
        except (OSError, ValueError):
            return  # cut off in the middle of a line
        finally:
            self.lost.set()
            self._writer.close()
            for reply in self._waiting.values():
                if not reply.done():
                    reply.set_exception(StandinError("the stand-in is gone: it did not answer"))

    def _take(self, message: Mapping[str, Any]) -> None:
        if "log" in message:
            for listener in tuple(self._listeners):
                listener(message["log"])
            return
        reply = self._waiting.get(message["id"])
        if reply is not None and not reply.done():
            reply.set_result(message)
