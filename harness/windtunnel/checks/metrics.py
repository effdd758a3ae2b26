"""The metrics: what `thresholds` may bound, each with its unit, and how a threshold is judged.

Imports the samples, the statistics and the contract of checks.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Final, Literal, NamedTuple, Protocol

from windtunnel.checks import routing_samples, samples
from windtunnel.checks.base import CheckResult, Context, Verdict
from windtunnel.checks.judging import after_a_limit, reports_nothing
from windtunnel.checks.samples import Sample
from windtunnel.checks.statistic import ONLY_GROW, STATISTICS, nearest_to
from windtunnel.trace import Trace
from windtunnel.units import format_duration, to_seconds

Unit = Literal["duration", "count", "per_second", "share"]
"""Of a value and of its bounds: nanoseconds, a plain number, a number per second, or 0 to 1."""

_OPERATION: Final = ("outcome", "told", "code")
_REQUEST: Final = ("outcome", "status", "code")


@dataclass(frozen=True, slots=True)
class Metric:
    """A row of the table of metrics."""

    summary: str
    samples: Callable[[Trace, tuple[str, ...]], Iterator[Sample]]
    """Trace and selection (`of`) → its samples."""
    unit: Unit = "duration"
    of: str = "operations"
    """What `of` selects; empty: the metric takes none."""
    fields: tuple[str, ...] = ()
    """What `where` may ask for."""
    needs: frozenset[str] = frozenset()
    """Kinds from inside a scheduler without which the threshold is skipped."""


METRICS: Final[Mapping[str, Metric]] = MappingProxyType(
    {
        "wait": Metric(
            "from an operation's submission to its start",
            partial(samples.spans, begin="submitted", finish="started"),
            fields=_OPERATION,
        ),
        "run": Metric(
            "from an operation's start to its end",
            partial(samples.spans, begin="started", finish="settled"),
            fields=_OPERATION,
        ),
        "total": Metric(
            "from an operation's submission to what its caller was told",
            partial(samples.spans, begin="submitted", finish="answered"),
            fields=_OPERATION,
        ),
        "wait_to_last_start": Metric(
            "from an operation's submission to its last start, where starts may repeat",
            samples.waits_to_last_start,
            fields=_OPERATION,
        ),
        "response": Metric(
            "from a request's arrival to its answer",
            samples.responses,
            of="requests",
            fields=_REQUEST,
        ),
        "probe": Metric(
            "from a request's arrival to its action's submission",
            samples.probes,
            of="requests",
            fields=_REQUEST,
        ),
        "command": Metric(
            "one command's time on its resource",
            samples.commands,
            fields=("command", "resource", "outcome"),
        ),
        "lock_wait": Metric("one wait for the UI lock that was not free", samples.lock_waits),
        "drain": Metric(
            "from a drain's begin to its end", samples.drains, of="", fields=("drained",)
        ),
        "outage": Metric("a time without WeChat's window", samples.outages, of=""),
        "throughput": Metric(
            "operations done per second, from the first submission to the last end",
            samples.throughput,
            unit="per_second",
        ),
        "pending": Metric(
            "how many are queued as the scheduler takes an entry",
            samples.pending,
            unit="count",
            needs=frozenset({"action.queued"}),
        ),
        "detection": Metric(
            "from a fault's begin to the degradation that it led to",
            routing_samples.detections,
            of="",
            fields=("fault", "reason"),
        ),
        "switch": Metric(
            "from the detection of what degrades the router until it is told",
            routing_samples.switches,
            of="",
            fields=("reason",),
        ),
        "degraded": Metric(
            "a time in which the router did without the inside",
            routing_samples.times_degraded,
            of="",
            fields=("reason",),
        ),
        "in_system": Metric(
            "from a task's submission to its end, by the side that completed it",
            routing_samples.times_in_system,
            fields=("side", "outcome"),
        ),
        "outside_share": Metric(
            "one figure: of the tasks that ended done, the share completed outside",
            routing_samples.outside_shares,
            unit="share",
        ),
        "utilisation": Metric(
            "the share of time that an instance, or the external platform, is at work",
            routing_samples.utilisations,
            unit="share",
            of="",
            fields=("side", "instance"),
        ),
    }
)
"""Name → metric."""


def bound_unit(metric: str, stat: str) -> Unit:
    """Return the unit of a threshold's bounds: the metric's own, but for a number of samples.

    Raises `KeyError` for a metric that is not in `METRICS`.
    """
    return "count" if stat == "count" else METRICS[metric].unit


class Bounds(Protocol):
    """What is judged; `windtunnel.scenario.cells.Threshold` is one."""

    @property
    def metric(self) -> str:
        """A key of `METRICS`."""

    @property
    def of(self) -> tuple[str, ...]:
        """Classes, ids of entries, operations; empty: all."""

    @property
    def where(self) -> Mapping[str, str]:
        """Field → the value that is meant."""

    @property
    def stat(self) -> str:
        """A key of `STATISTICS`."""

    @property
    def min(self) -> float | None:
        """The least value allowed."""

    @property
    def max(self) -> float | None:
        """The greatest value allowed."""

    @property
    def min_samples(self) -> int:
        """How many samples there must be."""


class Measurement(NamedTuple):
    """The samples that count, and what could still become of the figure."""

    found: list[Sample]
    figure: float
    """With what still went on at the end as long as it had by then."""
    highest: float
    """With what still went on as long as can be."""
    undecided: int
    """Samples of which it is not yet known whether `where` means them."""


def judge_threshold(threshold: Bounds, trace: Trace, context: Context) -> CheckResult:
    """Judge a statistic over the samples of a metric.

    What still goes on at the end counts with the time it has taken by then. Above `max` with it:
    a failure. Within the bounds so far, but not whatever it comes to, or with a sample of which
    `where` asks for what is not known yet: unknown, after a deadlock a failure. Fewer samples than
    `min_samples`, or none: vacuous. Measured: the figure, durations in seconds. After a limit
    only a failure stands.
    """
    metric = METRICS[threshold.metric]
    if told := reports_nothing(trace, metric.needs):
        return after_a_limit(CheckResult(Verdict.SKIPPED, told), context)
    chosen = [(s, s.fits(threshold.where)) for s in metric.samples(trace, threshold.of)]
    found = [sample for sample, fits in chosen if fits]
    undecided = sum(fits is None for _, fits in chosen)
    if len(found) < max(1, threshold.min_samples):
        told = f"{len(found)} samples of {_described(threshold)}, {threshold.min_samples} needed"
        return after_a_limit(CheckResult(Verdict.VACUOUS, told), context)
    statistic = STATISTICS[threshold.stat]
    values = [sample.value for sample in found]
    figure = statistic(values)
    highest = statistic([s.value if s.end is not None else math.inf for s in found])
    measurement = Measurement(found, figure, highest, undecided)
    return after_a_limit(_result(threshold, measurement, context), context)


def _result(threshold: Bounds, measured: Measurement, context: Context) -> CheckResult:
    low = -math.inf if threshold.min is None else threshold.min
    high = math.inf if threshold.max is None else threshold.max
    figure, highest = measured.figure, measured.highest
    open_at_end = sum(sample.end is None for sample in measured.found) + measured.undecided
    if _stays_out(threshold, measured, low, high):
        verdict = Verdict.FAIL
    elif low <= figure and highest <= high and not measured.undecided:
        verdict = Verdict.PASS
    else:
        verdict = Verdict.FAIL if context.end.reason == "deadlock" else Verdict.UNKNOWN
    unit = bound_unit(threshold.metric, threshold.stat)
    still = f", {open_at_end} still open" if open_at_end else ""
    told = f"{_described(threshold)} is {_shown(figure, unit)}, allowed {_allowed(threshold, unit)}"
    undecided = [s for s in measured.found if s.end is None and verdict is Verdict.UNKNOWN]
    shown = max(undecided) if undecided else nearest_to(measured.found, figure)
    return CheckResult(
        verdict,
        f"{told}; {len(measured.found)} samples{still}",
        tuple(dict.fromkeys(e.seq for e in (shown.end, shown.start) if e is not None)),
        to_seconds(round(figure)) if unit == "duration" else figure,
    )


def _stays_out(threshold: Bounds, measured: Measurement, low: float, high: float) -> bool:
    """Tell whether the figure is out of bounds whatever would come after the end of the run."""
    above, below = measured.figure > high, measured.highest < low
    if measured.undecided:  # a further sample may yet pull it back, but for these
        return (above and threshold.stat in ONLY_GROW) or (below and threshold.stat == "min")
    return above or below


def _described(threshold: Bounds) -> str:
    of = f" of {', '.join(threshold.of)}" if threshold.of else ""
    where = ", ".join(f"{name} {value}" for name, value in threshold.where.items())
    return f"{threshold.stat} {threshold.metric}{of}" + (f" ({where})" if where else "")


def _allowed(threshold: Bounds, unit: Unit) -> str:
    bounds = (("at least", threshold.min), ("at most", threshold.max))
    return " and ".join(f"{word} {_shown(b, unit)}" for word, b in bounds if b is not None)


def _shown(value: float, unit: Unit) -> str:
    if unit == "duration":
        return format_duration(round(value))
    return f"{value:g}/s" if unit == "per_second" else f"{value:g}"
