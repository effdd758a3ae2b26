"""The QR capture: a capture program, bounded, killed and reaped when it hangs (UI-AC4).

Imports ports and the lock.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import nullcontext, suppress
from typing import Final

from windtunnel.errors import BridgeError
from windtunnel.ports import Processes, ProcessSpec, Program
from windtunnel.services.bridge.flows.ui_lock import UILock

PROGRAM: Final = "scrot"
CAPTURE: Final = ProcessSpec(PROGRAM, (PROGRAM, "--silent", "-"), resource="display")
REAP_S: Final = 5.0
"""How long a killed program may take to be reaped."""
CAPTURE_FAILED: Final = "CAPTURE_FAILED"

logger = logging.getLogger("windtunnel.capture")


class QrCapture:
    """Runs the capture program under `lock`, for at most `timeout_s` seconds; None: without."""

    def __init__(self, processes: Processes, lock: UILock | None, timeout_s: float | None) -> None:
        self._processes = processes
        self._lock = lock
        self._timeout_s = timeout_s

    async def run(self, _: object = None) -> bytes:
        """Return the picture that the program wrote.

        Raises `TimeoutError` when it is not over in time, after it was killed and reaped, and
        CAPTURE_FAILED when it ends with another status than 0.
        """
        async with self._lock or nullcontext():
            try:
                async with asyncio.timeout(self._timeout_s):
                    picture, status = await self._finished()
            except TimeoutError as error:
                raise TimeoutError(f"{PROGRAM} gave no picture in {self._timeout_s} s") from error
        if status:
            raise BridgeError(CAPTURE_FAILED, f"{PROGRAM} ended with status {status}")
        return picture

    async def _finished(self) -> tuple[bytes, int]:
        """Run the program to its end; whatever keeps it from that, none is left behind."""
        program = await self._processes.run(CAPTURE)
        try:
            return await program.output(), await program.wait()
        except BaseException:
            await _end(program)
            raise


async def _end(program: Program) -> None:
    """Kill a program and reap it, for at most `REAP_S` seconds."""
    program.kill()
    with suppress(TimeoutError):
        async with asyncio.timeout(REAP_S):
            await program.wait()
            return
    logger.error("%s (%d) was killed and cannot be reaped", PROGRAM, program.pid)
