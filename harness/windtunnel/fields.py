"""Field types for pydantic models: durations, and names of events, classes and operations.

The format's own models, a system's `given` and `args` and every check's arguments use them, so
that a value is written and refused in one way everywhere. Where the validation context holds a
`Names`, what a name refers to is resolved as well; without one only its form is checked.
Imports `windtunnel.units`, `windtunnel.event_names` and pydantic.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Final, Protocol, runtime_checkable

from pydantic import BeforeValidator, InstanceOf, PlainValidator, ValidationInfo, WithJsonSchema

from windtunnel.event_names import ID_PATTERN, EventName, parse_event_name
from windtunnel.kinds import KINDS
from windtunnel.units import UNITS, parse_duration

DURATION_PATTERN: Final = rf"^\s*[0-9]+(\.[0-9]+)?\s?({'|'.join(UNITS)}|µs)\s*$"


@runtime_checkable
class Names(Protocol):
    """What names of a scenario refer to; each method raises `ValueError` saying what is wrong."""

    def event(self, name: EventName, *, each: bool) -> None:
        """Refuse an event that cannot happen; `each` allows a phase of every operation."""

    def class_(self, text: str) -> None:
        """Refuse a class that nothing submits or calls."""

    def operation(self, text: str) -> None:
        """Refuse what is neither a class nor an id (`ID` or `ID.N`) of the timeline."""

    def one_operation(self, text: str) -> None:
        """Refuse what is not one operation: the id of an entry, or `ID.N` of a repeat."""

    def observable(self, text: str) -> None:
        """Refuse a dotted name that the system cannot observe."""


def _duration(value: Any) -> int:  # noqa: ANN401 - whatever stands in the file
    if isinstance(value, str):
        return parse_duration(value)
    bare = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    hint = f"write {value}s or {value}ms" if bare else "such as 800ms, 1.5s or 2min"
    raise ValueError(f"a duration is a number with a unit: {hint}")


def _names(info: ValidationInfo) -> Names | None:
    context: Any = info.context  # `isinstance` with a protocol takes longer than a validation
    return context if hasattr(context, "observable") else None


def _text(value: Any, what: str) -> str:  # noqa: ANN401 - whatever stands in the file
    if not isinstance(value, str):
        raise ValueError(f"the name of {what} is a text, not {value!r}")  # noqa: TRY004 - pydantic
    return value


def _event(value: Any, info: ValidationInfo, *, each: bool) -> EventName:  # noqa: ANN401 - as above
    name = value if isinstance(value, EventName) else parse_event_name(_text(value, "an event"))
    if names := _names(info):
        names.event(name, each=each)
    return name


def _name(what: str, resolve: Callable[[Names, str], None]) -> Callable[[Any, ValidationInfo], str]:
    def validate(value: Any, info: ValidationInfo) -> str:  # noqa: ANN401 - as above
        text = _text(value, what)
        if names := _names(info):
            resolve(names, text)
        return text

    return validate


_class = _name("a class", lambda names, text: names.class_(text))
_operation = _name("a class or an operation", lambda names, text: names.operation(text))
_one_operation = _name("an operation", lambda names, text: names.one_operation(text))
_observable = _name("an observed value", lambda names, text: names.observable(text))


def _subject(value: Any, info: ValidationInfo) -> str:  # noqa: ANN401 - as above
    text = _text(value, "what is counted")
    if not text.startswith("kind:"):
        return _operation(text, info)
    if text.removeprefix("kind:") not in KINDS:
        parse_event_name(text)  # raises, in the words used everywhere
    return text


def _event_schema(example: str) -> WithJsonSchema:
    tail = r"[a-z][a-z0-9_]*(#[1-9][0-9]*)?(\.begin)?"
    pattern = rf"^(kind:[a-z._]+|{ID_PATTERN}(\.[0-9]+)?\.{tail})$"
    return WithJsonSchema({"type": "string", "pattern": pattern, "examples": [example]})


Duration = Annotated[
    int,
    BeforeValidator(_duration),
    WithJsonSchema({"type": "string", "pattern": DURATION_PATTERN, "examples": ["800ms"]}),
]
"""Nanoseconds; written with a unit (`800ms`, `1.5s`), a bare number is refused with a hint.

In Python a default is given in nanoseconds (`drain: Duration = 5 * SECOND`).
"""

EventRef = Annotated[
    InstanceOf[EventName],
    PlainValidator(partial(_event, each=False)),
    _event_schema("send.2.click_search"),
]
"""One event: `ID.PHASE`, `ID.N.PHASE`, `ID.N.COMMAND` or `kind:KIND`; typed `EventName`.

Over a repeat the index is required, since otherwise the name means several events.
"""

EachEventRef = Annotated[
    InstanceOf[EventName],
    PlainValidator(partial(_event, each=True)),
    _event_schema("send.settled"),
]
"""One event, or a phase of every operation of a repeat (`bounded`); typed `EventName`."""

ClassRef = Annotated[str, PlainValidator(_class), WithJsonSchema({"type": "string"})]
"""A class of operations that the timeline brings about, such as `send_text`."""

OpRef = Annotated[str, PlainValidator(_operation), WithJsonSchema({"type": "string"})]
"""A class, the id of a timeline entry (all of its operations), or one operation `ID.N`."""

OneOpRef = Annotated[str, PlainValidator(_one_operation), WithJsonSchema({"type": "string"})]
"""One operation: the id of a timeline entry, or `ID.N` where that is a repeat."""

SubjectRef = Annotated[str, PlainValidator(_subject), WithJsonSchema({"type": "string"})]
"""What `count` counts: an `OpRef`, or events as `kind:KIND`."""

ObservableRef = Annotated[str, PlainValidator(_observable), WithJsonSchema({"type": "string"})]
"""A value that the system lets a scenario observe, dotted where it is nested."""
