"""A selection of operations: by class, by the id of a timeline entry, or one by one.

Imports `windtunnel.fields` and pydantic.
"""

from __future__ import annotations

from typing import Annotated, Any, Final

from pydantic import BeforeValidator, WithJsonSchema

from windtunnel.fields import ClassRef, OpRef


def _listed(value: Any) -> Any:  # noqa: ANN401 - whatever stands in the file
    return [value] if isinstance(value, str) else value


_ONE_OR_MORE: Final = WithJsonSchema(
    {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
)

Operations = Annotated[tuple[OpRef, ...], BeforeValidator(_listed), _ONE_OR_MORE]
"""Classes, ids of entries and single operations; one may stand without a list; none means all."""

Classes = Annotated[tuple[ClassRef, ...], BeforeValidator(_listed), _ONE_OR_MORE]
"""Classes of operations; one may stand without a list."""


def entry_id(op: str) -> str:
    """Return the id of the timeline entry that an operation comes from.

    `send` for `send.2`, and for `send.2/3`, the third operation that came of `send.2`.
    """
    first = op.partition("/")[0]
    base, dot, index = first.rpartition(".")
    return base if dot and index.isdecimal() else first


def selects(of: tuple[str, ...], op: str, class_: str) -> bool:
    """Tell whether a selection holds an operation; an empty selection holds every one."""
    if not of or class_ in of or op in of:
        return True
    return op.partition("/")[0] in of or entry_id(op) in of
