"""A memo of typed parts: what a part of the file came to, for the values it hangs on.

Cells of one file differ in few values; a part is replaced and validated once for each combination
of the values that it refers to, so that a table of 500 rows costs little more than one row.
Imports `document`, `references` and `problems`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from windtunnel.scenario.reading.document import Part
from windtunnel.scenario.reading.references import ReferenceFault, substitute
from windtunnel.scenario.source.problems import faults_of
from windtunnel.scenario.source.yaml_nodes import Fault, Node

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Typed(Generic[T]):
    """A part's value, or None with the faults that say why."""

    value: T | None
    faults: tuple[Fault, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether there is a value to go on with."""
        return self.value is not None and not self.faults


UNSOUND: Typed[Any] = Typed(None)
"""A part whose faults have been told already."""


class Memo:
    """Typed parts by part and by the values they hang on."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Typed[Any]] = {}

    def typed(
        self,
        part: Part,
        values: Mapping[str, Any],
        make: Callable[[Any], Typed[T]],
        *also: Hashable,
    ) -> Typed[T]:
        """Return `make(data)` for the part's data, from the memo where it was made before.

        `also` is what else the result hangs on.
        """
        if not part.sound:
            return UNSOUND
        key = (id(part), also, tuple(frozen(values[name]) for name in part.names if name in values))
        if key not in self._known:
            self._known[key] = _make(part, values, make)
        return self._known[key]


def _make(part: Part, values: Mapping[str, Any], make: Callable[[Any], Typed[T]]) -> Typed[T]:
    try:
        data = substitute(part.node, values)
    except ReferenceFault as fault:
        return Typed(None, (Fault(*fault.node.place(), str(fault)),))
    return make(data)


def frozen(value: Any) -> Hashable:  # noqa: ANN401 - plain data
    """Return a hashable stand-in for plain data; true, 1 and 1.0 are three."""
    return (type(value), repr(value)) if isinstance(value, dict | list) else (type(value), value)


def validated(
    model: type[M],
    data: Any,  # noqa: ANN401 - plain data
    node: Node,
    *,
    context: Any = None,  # noqa: ANN401 - a `Names`, or nothing
    known: tuple[str, ...] = (),
) -> Typed[M]:
    """Return an instance of a model, or what is wrong with the data at the places in the node."""
    try:
        return Typed(model.model_validate(data, context=context))
    except ValidationError as error:
        return Typed(None, faults_of(error, model, node, known))
