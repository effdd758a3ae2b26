"""scrot: a picture of a display taken by the program of that name, ended when it hangs (UI-AC4).

It writes to its standard output, so that none of what it does to names of files matters: a name
that is taken is changed to `NAME_000.png`, `%` and `$` in one stand for something, and a file is
there, and empty, from its start. It runs in a folder of its own all the same: what it left there
instead is taken, and nothing of it stays.
Imports blank, png, the display's address, the programs and the folders, and errors.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from windtunnel.errors import WindtunnelError
from windtunnel.ports import COMMAND_BOUND_S, Frame
from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.errors import DeadlineError, DisplayDiedError
from windtunnel_real.folders import make_folder, remove_folder
from windtunnel_real.pictures.blank import not_blank
from windtunnel_real.pictures.png import decode, write_whole
from windtunnel_real.programs.guard import guarded

ARGUMENTS: Final = ("--silent", "-")
REAP_S: Final = 5.0
"""How long a killed program may take to be reaped."""
NO_DISPLAY: Final = "Can't open X display"
"""What it says where there is none."""

logger = logging.getLogger("windtunnel.capture")


class ScrotError(WindtunnelError):
    """scrot ended without a picture."""


async def scrot(
    address: DisplayAddress, path: Path | None = None, *, timeout: float = COMMAND_BOUND_S
) -> Frame:
    """Return a picture of the whole display, and keep scrot's own PNG at `path`, if one is given.

    The file appears whole or not at all. Raises `DeadlineError` after `timeout` seconds, after
    scrot was killed and reaped (UI-AC4); `DisplayStartError` when there is no scrot;
    `DisplayDiedError` when there is no display; `ScrotError` when it fails or writes nothing;
    `InputError` when what it writes is no whole PNG; `BlankFrameError` as `blank` says; `OSError`
    when the file cannot be written.
    """
    written = b""

    async def take() -> Frame:
        nonlocal written
        written = await _png(address)
        return await asyncio.to_thread(decode, written, "what scrot wrote")

    try:
        async with asyncio.timeout(timeout):
            frame = await not_blank(take, f"the display {address.name}")
    except TimeoutError as error:
        raise DeadlineError(f"scrot gave no picture in {timeout:g} s and was killed") from error
    if path is not None:
        await asyncio.to_thread(write_whole, path, written)
    return frame


async def _png(address: DisplayAddress) -> bytes:
    folder = make_folder()
    try:
        async with _running(address, folder) as process:
            output, told = await process.communicate()
        found = output or _left_in(folder)
    finally:
        remove_folder(folder)
    said = told.decode(errors="replace").strip()
    if NO_DISPLAY in said:
        raise DisplayDiedError(f"scrot cannot reach {address.name}: {said}")
    if process.returncode:
        raise ScrotError(f"scrot ended with status {process.returncode}: {said or 'no word'}")
    if not found:
        raise ScrotError(f"scrot ended well and wrote nothing: {said or 'no word'}")
    return found


def _left_in(folder: Path) -> bytes:
    """Return what lies in the folder of a scrot that writes to a file whatever it is told."""
    return next((found for file in folder.iterdir() if (found := file.read_bytes())), b"")


@asynccontextmanager
async def _running(
    address: DisplayAddress, folder: Path
) -> AsyncIterator[asyncio.subprocess.Process]:
    """Start scrot; at the end of the block, however it comes, it is gone and reaped."""
    process = await asyncio.create_subprocess_exec(
        *guarded(("scrot", *ARGUMENTS)),
        cwd=folder,
        env=address.environment(),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            await _end(process)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Kill it with what it started, and reap it, for at most `REAP_S` seconds."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    try:
        async with asyncio.timeout(REAP_S):
            await process.communicate()
    except TimeoutError:
        logger.error("scrot (%d) was killed and cannot be reaped", process.pid)  # noqa: TRY400
