"""A statistic: one figure out of many; quantiles are by the nearest rank.

Imports nothing of the project but the samples.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Final

from windtunnel.checks.samples import Sample


def nearest_rank(values: Sequence[float], percent: int) -> float:
    """Return the smallest value that at least `percent` of the values do not exceed.

    Raises `IndexError` where there are no values.
    """
    rank = max(1, -(-len(values) * percent // 100))  # rounded up, in integers: no float error
    return sorted(values)[rank - 1]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)  # of integers the sum is exact


STATISTICS: Final[Mapping[str, Callable[[Sequence[float]], float]]] = MappingProxyType(
    {
        "min": min,
        "max": max,
        "mean": _mean,
        "sum": sum,
        "count": len,
        "p50": partial(nearest_rank, percent=50),
        "p90": partial(nearest_rank, percent=90),
        "p95": partial(nearest_rank, percent=95),
        "p99": partial(nearest_rank, percent=99),
    }
)
"""Name → function of one value or more; each grows, or stays, where a value grows."""

ONLY_GROW: Final = frozenset({"max", "sum", "count"})
"""Those that no further sample makes smaller; none is negative."""


def nearest_to(samples: Sequence[Sample], figure: float) -> Sample:
    """Return the sample that shows a figure best: the first of the nearest value."""
    return min(samples, key=lambda sample: math.fabs(sample.value - figure))
