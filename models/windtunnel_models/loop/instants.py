"""Instants: seconds as asyncio speaks them, whole nanoseconds as the timeline counts them.

Imports `windtunnel.units`. A `float` of seconds holds every nanosecond apart up to 2^23 s
(97 days) and is the nearest one beyond; the timeline itself is exact throughout.
"""

from __future__ import annotations

import math

from windtunnel.units import SHORT_S, from_seconds

# 292 years. What lies beyond is a mistake (nanoseconds passed as seconds), not a plan.
LONGEST_NS = 2**63 - 1


def to_ns(seconds: float) -> float:
    """Turn seconds into whole nanoseconds (an int), rounding half to even; infinity stays.

    `windtunnel.units.from_seconds` says what is rounded. Raises ValueError for NaN and for more
    than 292 years.
    """
    if -SHORT_S < seconds < SHORT_S:
        return round(seconds * 1e9)
    if math.isnan(seconds):
        raise ValueError("the delay is not a number (NaN); give seconds")
    if math.isinf(seconds):
        return seconds
    if abs(seconds) * 1e9 > LONGEST_NS:
        raise ValueError(
            f"{seconds!r} s is more than 292 years; a delay is given in seconds "
            "(math.inf means never)"
        )
    return from_seconds(seconds)


def delay_ns(seconds: float) -> float:
    """Turn a delay into nanoseconds; one that is positive is at least 1 ns.

    Code that sleeps `deadline - time()` until `time() >= deadline` would else spin on the last
    fraction of a nanosecond, which is nothing but the rounding of floats.
    """
    return to_ns(seconds) or int(seconds > 0)
