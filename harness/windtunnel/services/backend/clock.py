"""The clock: the running loop's time, as policies and messages take it. Imports the units."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from windtunnel.units import from_seconds


def now() -> int:
    """Return the running loop's time in nanoseconds."""
    return from_seconds(asyncio.get_running_loop().time())


def stamp() -> str:
    """Return the running loop's time as ISO 8601 in UTC, counted from 1970 (RT-W1)."""
    return datetime.fromtimestamp(asyncio.get_running_loop().time(), UTC).isoformat()
