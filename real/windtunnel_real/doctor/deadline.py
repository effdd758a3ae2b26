"""A deadline for a probe: one that hangs or crashes has found something bad, and is told as that.

Imports what a probe saw and the one error tree.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from typing import Final

from windtunnel.errors import WindtunnelError
from windtunnel_real.doctor.seen import Seen, bad

PATIENCE_S: Final = 10.0
"""Seconds that one probe may take."""
Probe = Callable[[], Seen]


def look(probe: Probe, timeout: float = PATIENCE_S) -> Seen:
    """Return what a probe saw; bad if it takes longer than `timeout` seconds, or raises."""
    answer: queue.SimpleQueue[Seen] = queue.SimpleQueue()
    # A daemon: one that hangs for ever must not keep the process from ending.
    threading.Thread(target=lambda: answer.put(_tried(probe)), daemon=True).start()
    try:
        return answer.get(timeout=timeout)
    except queue.Empty:
        return bad(f"no answer within {timeout:g} s")


def crashed(error: BaseException) -> Seen:
    """Return what is told of a probe that raised."""
    if isinstance(error, WindtunnelError):  # made to be read
        return bad(str(error))
    return bad(" ".join(f"{type(error).__name__}: {error}".split()))


def _tried(probe: Probe) -> Seen:
    try:
        return probe()
    except Exception as error:  # noqa: BLE001 - whatever a broken installation raises
        return crashed(error)
