"""The shelf: pictures that may be thrown away, in a temporary folder that one thread writes.

Compressing takes some 10 to 20 ms for a picture of 4 MB, in zlib, which lets other threads run.
Imports png, the folders and errors.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Final

from windtunnel.ports import Frame
from windtunnel_real.errors import DeadlineError
from windtunnel_real.folders import make_folder, remove_folder
from windtunnel_real.pictures.png import encode, write_whole

PENDING: Final = 16
"""Frames that wait to be written, at most: 4 MB each of a display of 1280×800."""
CLOSE_S: Final = 10.0

logger = logging.getLogger("windtunnel.frames")


class Shelf:
    """Files by name. What is asked of it is done in that order.

    Its folder lies in `parent`, or where temporary files do, and is made when the first file is.
    """

    def __init__(self, parent: Path | None = None) -> None:
        self._parent = parent
        self._folder: Path | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="windtunnel-frames")
        self._room = asyncio.Semaphore(PENDING)
        self.closed = False
        self.failed: dict[str, str] = {}
        """Files that could not be written, and why."""

    async def room(self) -> None:
        """Wait until one more frame may wait to be written; `put` or `leave` gives that back."""
        await self._room.acquire()

    def leave(self) -> None:
        """Give room back that was not needed."""
        self._room.release()

    def put(self, name: str, frame: Frame) -> None:
        """Have a frame written, into room that was waited for."""
        loop = asyncio.get_running_loop()

        def written(_: Future[None]) -> None:
            with suppress(RuntimeError):  # the loop is over: nobody waits for room
                loop.call_soon_threadsafe(self._room.release)

        self._thread.submit(self._write, name, frame).add_done_callback(written)

    def remove(self, name: str) -> None:
        """Have a file removed."""
        self._thread.submit(self._unlink, name)

    async def copy(self, names: Collection[str], into: Path, timeout: float) -> None:
        """Copy files into a folder, which is made.

        Raises `DeadlineError` after `timeout` seconds, and `OSError`.
        """
        await self._over(lambda: self._copy(names, into), timeout)

    async def close(self) -> None:
        """Remove everything, within 10 s; nothing happens the second time."""
        if self.closed:
            return
        self.closed = True
        try:
            await self._over(self._clear, CLOSE_S)
        except (DeadlineError, OSError) as error:
            logger.warning("frames were left behind: %s", error)
        finally:
            self._thread.shutdown(wait=False)

    async def _over(self, work: Callable[[], None], timeout: float) -> None:
        try:
            async with asyncio.timeout(timeout):
                await asyncio.get_running_loop().run_in_executor(self._thread, work)
        except TimeoutError as error:
            raise DeadlineError(f"frames were not written in {timeout:g} s") from error

    def _write(self, name: str, frame: Frame) -> None:
        try:
            if self._folder is None:
                self._folder = make_folder(self._parent)
            write_whole(self._folder / name, encode(frame))
        except OSError as error:
            self.failed[name] = f"it could not be written: {error}"

    def _unlink(self, name: str) -> None:
        self.failed.pop(name, None)
        if self._folder is not None:
            (self._folder / name).unlink(missing_ok=True)

    def _copy(self, names: Collection[str], into: Path) -> None:
        into.mkdir(parents=True, exist_ok=True)
        for name in names:
            if name not in self.failed and self._folder is not None:
                write_whole(into / name, (self._folder / name).read_bytes())

    def _clear(self) -> None:
        if self._folder is not None:
            remove_folder(self._folder)
            self._folder = None
