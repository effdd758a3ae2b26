"""The expectations of a cell: the checks that apply to it, with typed arguments.

Imports the table of checks, `timeline_names` and `validation`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from windtunnel.checks import CHECKS
from windtunnel.checks.base import CheckArgs
from windtunnel.checks.expression import parse_expression
from windtunnel.scenario.expanding.timeline_names import TimelineNames
from windtunnel.scenario.reading.scenario import ExpectPart
from windtunnel.scenario.source.messages import Mistake
from windtunnel.scenario.source.validation import Typed, fault_at, validated
from windtunnel.scenario.source.yaml_nodes import Fault


def type_args(
    data: Any,  # noqa: ANN401 - plain data
    *,
    part: ExpectPart,
    names: TimelineNames,
    foreign: bool,
) -> Typed[CheckArgs]:
    """Return the check's arguments, their names resolved in the cell's timeline.

    A `foreign` scheduler observes values of its own, so their names are not looked into then.
    """
    model = CHECKS[part.check].args
    typed = validated(model, {} if data is None else data, part.args.node, context=names)
    if typed.value is None or foreign:
        return typed
    faults = tuple(_unobservable(part, typed.value, names))
    return Typed(None, faults) if faults else typed


def _unobservable(part: ExpectPart, args: CheckArgs, names: TimelineNames) -> Iterator[Fault]:
    read = _READS.get(part.check)
    if read is None:
        return
    found = tuple(read(args, names.variables))
    if not found:
        yield part.args.node.fault("reads no observed value, so no run can change what it says")
    for name in found:
        try:
            names.observable(name)
        except ValueError as error:
            yield fault_at(part.args.node, Mistake((name,), at_key=True, message=str(error)))


def _keys(args: CheckArgs, variables: frozenset[str]) -> Iterator[str]:
    del variables
    yield from args.model_extra or {}


def _operands(args: CheckArgs, variables: frozenset[str]) -> Iterator[str]:
    for name in parse_expression(args.expr).names:  # type: ignore[attr-defined]  # InvariantArgs
        if name.partition(".")[0] not in variables:
            yield name


_READS: Final[Mapping[str, Callable[[CheckArgs, frozenset[str]], Iterator[str]]]] = (
    MappingProxyType({"equals": _keys, "invariant": _operands})
)
"""Check → the observed values that its arguments name."""
