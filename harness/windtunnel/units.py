"""Durations: the one place where time is parsed, converted and printed.

Inside the project a duration is an integer number of nanoseconds. Seconds as floats appear only
where asyncio or a caller's interface (`delay_ms`, `timeout`) asks for them.
"""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from types import MappingProxyType
from typing import Final

from windtunnel.errors import UnitError

US: Final = 1_000
MS: Final = 1_000_000
SECOND: Final = 1_000_000_000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR

MAX_NS: Final = 2**23 * SECOND
"""The longest duration and the last instant (97 days).

Up to here every nanosecond has a float of seconds of its own.
"""

SHORT_S: Final = 2**51 / SECOND
"""Below this many seconds (26 days) `seconds * 1e9` is within half a nanosecond of the truth."""

UNITS: Final = MappingProxyType(
    {"ns": 1, "us": US, "ms": MS, "s": SECOND, "min": MINUTE, "m": MINUTE, "h": HOUR, "d": DAY}
)
_DURATION = re.compile(r"(?P<number>[0-9]{1,17}(?:\.[0-9]{1,17})?)\s?(?P<unit>[a-zµ]{1,3})")


def parse_duration(text: str) -> int:
    """Return the nanoseconds of a text such as `1.5s`, `800ms`, `2min`, `1h`.

    Raises `UnitError` when there is no number, no unit, an unknown unit, a fraction of a
    nanosecond, or more than `MAX_NS`.
    """
    match = _DURATION.fullmatch(text.strip())
    if match is None or (unit := UNITS.get(match["unit"].replace("µ", "u"))) is None:
        raise UnitError(
            f"{text!r} is not a duration; write a number with a unit, such as 800ms, 1.5s or 2min "
            f"(units: {', '.join(UNITS)})"
        )
    try:
        exact = Decimal(match["number"]) * unit
    except InvalidOperation as error:  # pragma: no cover - the pattern bounds the digits
        raise UnitError(f"{text!r} is not a duration") from error
    if exact > MAX_NS:
        raise UnitError(f"{text!r} is longer than 97 days, the longest duration")
    if exact != int(exact):
        raise UnitError(f"{text!r} has a fraction of a nanosecond")
    return int(exact)


def format_duration(nanoseconds: int) -> str:
    """Return the shortest exact text in the largest fitting unit up to hours, such as `1.5s`."""
    if nanoseconds < 0:
        return f"-{format_duration(-nanoseconds)}"
    for unit in ("h", "min", "s", "ms", "us"):
        size = UNITS[unit]
        exact = unit in ("s", "ms", "us") or nanoseconds % size == 0
        if nanoseconds >= size and exact:
            number = Decimal(nanoseconds) / size
            return f"{number.normalize():f}{unit}"
    return f"{nanoseconds}ns" if nanoseconds else "0s"


def from_seconds(seconds: float) -> int:
    """Return the nanoseconds nearest to a number of seconds (ties to even).

    Up to 26 days what is rounded is the float `seconds * 1e9`, so that 3 × 0.1 s and 0.3 s are one
    instant; beyond, where that product is no longer near enough, the exact one.
    """
    if -SHORT_S < seconds < SHORT_S:
        return round(seconds * SECOND)
    return round(Fraction(seconds) * SECOND)


def from_ms(milliseconds: float) -> int:
    """Return the nanoseconds nearest to a number of milliseconds (ties to even)."""
    if -SHORT_S < milliseconds / 1000 < SHORT_S:
        return round(milliseconds * MS)
    return round(Fraction(milliseconds) * MS)


def to_seconds(nanoseconds: int) -> float:
    """Return seconds as a float; exact to the nanosecond up to `MAX_NS`."""
    return nanoseconds / SECOND


def to_ms(nanoseconds: int) -> float:
    """Return milliseconds as a float."""
    return nanoseconds / MS
