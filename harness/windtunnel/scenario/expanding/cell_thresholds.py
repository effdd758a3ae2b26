"""The thresholds of a cell: metrics that there are, with bounds in the metric's unit.

Imports the table of metrics, the models of entries, `validation` and `cells`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from windtunnel.checks.metrics import METRICS, Metric, Unit, bound_unit
from windtunnel.errors import UnitError
from windtunnel.scenario.cells import Threshold
from windtunnel.scenario.expanding.timeline_names import TimelineNames
from windtunnel.scenario.reading.entries import ThresholdEntry, finite
from windtunnel.scenario.reading.scenario import ThresholdPart
from windtunnel.scenario.source.messages import Mistake, show
from windtunnel.scenario.source.suggestions import did_you_mean
from windtunnel.scenario.source.validation import Typed, fault_at, validated
from windtunnel.scenario.source.yaml_nodes import Fault, Node
from windtunnel.scenario.source.yaml_scalars import written
from windtunnel.trace import Outcome
from windtunnel.units import parse_duration

_OUTCOMES: Final = ("outcome", "told")
"""Fields of samples that hold an outcome."""


def type_threshold(data: Any, *, part: ThresholdPart, names: TimelineNames) -> Typed[Threshold]:  # noqa: ANN401 - plain data
    """Return the threshold of the data, or everything that is wrong with it."""
    node = part.args.node
    typed = validated(ThresholdEntry, data, node, context=names)
    said = typed.value
    if said is None:
        return Typed(None, typed.faults)
    if said.metric not in METRICS:
        hint = did_you_mean(said.metric, METRICS, most=24)
        message = f"there is no metric `{said.metric[:40]}`{hint}"
        return Typed(None, (_at(node, "metric", message),))
    faults = [*_field_faults(said, METRICS[said.metric], node)]
    unit = bound_unit(said.metric, said.stat)
    bounds = [_bound(said, key, unit, node, faults) for key in ("min", "max")]
    faults += () if faults else _bounds_faults(bounds, node)
    if faults:
        return Typed(None, tuple(faults))
    return Typed(
        Threshold(
            line=part.line,
            metric=said.metric,
            of=tuple(said.of),
            where={name: written(value) for name, value in said.where.items()},
            stat=said.stat,
            min=bounds[0],
            max=bounds[1],
            min_samples=said.min_samples,
            because=part.because,
        )
    )


def _field_faults(said: ThresholdEntry, metric: Metric, node: Node) -> Iterator[Fault]:
    if said.of and not metric.of:
        yield _at(node, "of", f"the metric `{said.metric}` is not of operations: leave out `of`")
    for name, value in said.where.items():
        if name not in metric.fields:
            hint = did_you_mean(name, metric.fields) or "; it has none"
            message = f"samples of `{said.metric}` have no field `{name[:40]}`{hint}"
            yield fault_at(node, Mistake(("where", name), at_key=True, message=message))
        elif name in _OUTCOMES and value not in Outcome.ALL:
            hint = did_you_mean(str(value), Outcome.ALL, most=len(Outcome.ALL))
            message = f"{show(value)} is no outcome{hint}"
            yield fault_at(node, Mistake(("where", name), at_key=False, message=message))


def _bound(
    said: ThresholdEntry, key: str, unit: Unit, node: Node, faults: list[Fault]
) -> float | None:
    value = getattr(said, key)
    if value is None:
        return None
    try:
        return _typed(value, unit)
    except ValueError as error:
        message = str(error)
    of = f"{said.stat} of `{said.metric}`"
    faults.append(_at(node, key, f"{message} (a bound on the {of})"))
    return None


def _typed(value: Any, unit: Unit) -> float:  # noqa: ANN401 - whatever stands in the file
    """Return a bound in the metric's unit; raises `ValueError`."""
    if unit != "duration":
        if not finite(value):
            raise ValueError(f"a number is needed here, not {show(value)}")
        return float(value)
    if not isinstance(value, str):
        hint = f": write {value}s or {value}ms" if finite(value) else f", not {show(value)}"
        raise UnitError(f"a duration is needed here{hint}")
    return parse_duration(value)


def _bounds_faults(bounds: list[float | None], node: Node) -> Iterator[Fault]:
    low, high = bounds
    if low is None and high is None:
        yield node.fault("a threshold says `min`, `max` or both")
    elif low is not None and high is not None and low > high:
        yield _at(node, "min", "`min` is above `max`: nothing lies between them")


def _at(node: Node, key: str, message: str) -> Fault:
    return fault_at(node, Mistake((key,), at_key=False, message=message))
