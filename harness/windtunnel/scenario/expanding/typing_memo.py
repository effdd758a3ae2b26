"""A memo of typed parts: what a part of the file came to, for the values it hangs on.

Cells of one file differ in few values; a part is replaced and validated once for each combination
of the values that it refers to, so that a table of 500 rows costs little more than one row.
Imports the scenario's parts, `references` and `validation`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import Any, TypeVar

from windtunnel.scenario.reading.references import ReferenceFault, substitute
from windtunnel.scenario.reading.scenario import Part
from windtunnel.scenario.reading.variations import frozen
from windtunnel.scenario.source.validation import Typed

T = TypeVar("T")


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
        data = substitute(part.node, values, part.late)
    except ReferenceFault as fault:
        return Typed(None, (fault.fault,))
    return make(data)
