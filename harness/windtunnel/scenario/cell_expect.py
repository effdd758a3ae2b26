"""The expectations of a cell: the checks that apply to it, with typed arguments.

Imports the table of checks, the format's models, `timeline_names` and `cells`.
"""

from __future__ import annotations

from typing import Any

from windtunnel.checks import CHECKS
from windtunnel.scenario.cells import Fails
from windtunnel.scenario.document import ExpectPart
from windtunnel.scenario.models import DeclaredFailure
from windtunnel.scenario.timeline_names import TimelineNames
from windtunnel.scenario.typing_memo import Typed, validated
from windtunnel.checks.base import CheckArgs


def type_args(part: ExpectPart, data: Any, names: TimelineNames) -> Typed[CheckArgs]:  # noqa: ANN401 - plain data
    """Return the check's arguments, their names resolved in the cell's timeline."""
    model = CHECKS[part.check].args
    return validated(model, {} if data is None else data, part.args.node, context=names)


def type_fails(part: ExpectPart, data: Any) -> Typed[Fails]:  # noqa: ANN401 - plain data
    """Return the declared failure of `fails: {measured, tolerance}`."""
    assert part.fails is not None
    typed = validated(DeclaredFailure, data, part.fails.node)
    if typed.value is None:
        return Typed(None, typed.faults)
    return Typed(Fails(typed.value.measured, typed.value.tolerance))
