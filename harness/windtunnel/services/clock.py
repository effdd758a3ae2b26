"""The clock: the running loop's time, as policies take it and as messages write it.

Imports the units.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from windtunnel.units import from_seconds, to_seconds


def now_ns() -> int:
    """Return the loop's time in nanoseconds: what deadlines are reckoned in and stores hold."""
    return from_seconds(asyncio.get_running_loop().time())


def iso(instant: int) -> str:
    """Return an instant (ns) of the loop as messages write it: ISO 8601, UTC, in ms (RT-W1).

    The loop's time 0 is shown as the epoch's, in every world.
    """
    moment = datetime.fromtimestamp(to_seconds(instant), UTC)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
