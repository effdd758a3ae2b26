"""The system's mistakes: what is well formed, and what the system finds wrong with it all the same.

Imports `timeline_names` and `validation`.
"""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel

from windtunnel.scenario.expanding.timeline_names import TimelineNames
from windtunnel.scenario.source.messages import Mistake
from windtunnel.scenario.source.validation import Typed, fault_at, validated
from windtunnel.scenario.source.yaml_nodes import Node

M = TypeVar("M", bound=BaseModel)


def possible(
    model: type[M],
    data: Any,  # noqa: ANN401 - plain data
    node: Node,
    *,
    names: TimelineNames,
    known: tuple[str, ...] = (),
) -> Typed[M]:
    """Return an instance of a model that the system finds nothing wrong with, or what is wrong."""
    typed = validated(model, data, node, context=names, known=known)
    if typed.value is None:
        return typed
    found = (Mistake(where, at_key=False, message=said) for where, said in names.wrong(typed.value))
    faults = tuple(fault_at(node, mistake) for mistake in found)
    return Typed(None, faults) if faults else typed
