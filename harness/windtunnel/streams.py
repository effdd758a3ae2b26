"""Random streams: one root seed, one stream per name.

Each consumer draws from a stream of its own, so that one more draw somewhere changes nothing
elsewhere, and equal seeds give equal runs on every machine. Imports nothing of the project.
"""

from __future__ import annotations

import hashlib
from random import Random


def stream(seed: int, name: str) -> Random:
    """Return the stream of a name under a root seed: `latency`, `autostart`, `arrivals.send`."""
    digest = hashlib.sha256(f"{seed}/{name}".encode()).digest()
    return Random(int.from_bytes(digest[:16], "big"))
