"""The readiness: when backend and dispatcher know one another, so that the timeline may begin.

What a scenario plans counts from then on; the instants of a trace count from the start of the
world, which is earlier by a few latencies: by nothing, or by the millisecond between two reports of
the dispatcher, where the network takes no time.

Imports the programs and their notes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from windtunnel.systems.router.programs import Programs

LONGEST_S: Final = 5.0
"""The timeline begins after so long all the same: what is missing then is part of the run."""


async def ready(programs: Programs, online: int) -> None:
    """Wait until the backend knows of so many instances online, and relies on them if any.

    Returns within `LONGEST_S` seconds.
    """
    known: dict[str, bool] = {}
    news = asyncio.Event()

    def heard(kind: str, details: Mapping[str, Any]) -> None:
        if kind == "capacity.known":
            known["online"] = details["online"] >= online
        news.set()

    stop = programs.listen(heard)
    try:
        async with asyncio.timeout(LONGEST_S):
            while not (known.get("online") and _relies(programs, online)):
                news.clear()
                await news.wait()
    except TimeoutError:
        pass  # what the timeline brings shows what is missing
    finally:
        stop()


def _relies(programs: Programs, online: int) -> bool:
    """Tell whether the backend sends tasks inside; where there is nobody it never does."""
    if not online:
        return True
    return programs.backend is not None and not programs.backend[0].observe()["degraded"]
