"""Models of format 1: what the keys of a scenario file are and what each may say.

Values arrive with their references replaced. Imports `windtunnel.fields` and pydantic.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    WithJsonSchema,
    model_validator,
)

from windtunnel.event_names import ID_PATTERN
from windtunnel.fields import Duration, EventRef
from windtunnel.scenario.reading.references import INDEX, NAME_PATTERN
from windtunnel.scenario.source.yaml_nodes import Fault, Node
from windtunnel.units import HOUR, SECOND, parse_duration

FORMAT: Final = 1
MAX_CELLS: Final = 10_000
MAX_ROWS: Final = 10_000
MAX_REPEAT: Final = 100_000
MAX_OPERATIONS: Final = 1_000_000
MAX_EVENTS: Final = 100_000_000
MAX_SEED: Final = 2**63 - 1

RESERVED: Final = frozenset({INDEX, "case", "world"})
"""Names that no variable may have: they say which operation, row and world it is."""

TARGET_PATTERN: Final = r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*"
NAME_OF_A_SCENARIO: Final = r"[A-Za-z0-9][A-Za-z0-9._-]*"

LATER: Final = MappingProxyType(
    {
        "": frozenset(
            {"requires", "per_world", "status", "include", "faults", "order", "thresholds"}
        ),
        "cases": frozenset({"rows_from"}),
        "timeline": frozenset({"poisson", "burst", "from_csv"}),
        "row": frozenset({"world", "faults"}),
        "expect": frozenset(
            {"capacity", "delivered_to", "drained_before_kill", "sometimes", "starvation"}
        ),
    }
)
"""Part of a file → fields of format 1 that come with a later version."""


def not_yet(part: str, node: Node) -> tuple[Fault, ...]:
    """Return the refusals of the fields in a part of the file that a later version brings."""
    said = "is part of format 1 but not supported by this version of windtunnel"
    return tuple(node.key_fault(key, f"`{key}` {said}") for key in node.keys if key in LATER[part])


class FormatModel(BaseModel):
    """Base of the format's own models: unknown fields are refused, nothing is converted."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


def _plain(value: Any) -> Any:  # noqa: ANN401 - whatever stands in the file
    if isinstance(value, dict | list):
        raise ValueError("a plain value is needed here, not a list or a mapping")  # noqa: TRY004 - pydantic
    return value


def _format(value: Any) -> int:  # noqa: ANN401 - as above
    if value != FORMAT or isinstance(value, bool):
        raise ValueError(f"this version of windtunnel reads format {FORMAT}, not {value!r}")
    return FORMAT


def _ties(value: Any) -> Any:  # noqa: ANN401 - as above
    if value != "fifo":
        raise ValueError("`ties` other than fifo are not supported by this version of windtunnel")
    return value


def _form(pattern: str, said: str) -> Callable[[str], str]:
    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(f"{text!r} is not {said}")
        return text

    return check


_target = _form(TARGET_PATTERN, "of the form module:Class")
_id = _form(ID_PATTERN, "an id: a letter, then letters, digits, `-` and `_`")
_scenario_name = _form(
    NAME_OF_A_SCENARIO, "a name: letters, digits, `-`, `_` and `.`, without blanks"
)
_variable_name = _form(NAME_PATTERN, "a name: letters, digits and `_`, no digit first")


def _variable(name: str) -> str:
    if _variable_name(name) in RESERVED:
        raise ValueError(f"`{name}` has a meaning of its own; choose another name")
    return name


def _listed(value: Any) -> Any:  # noqa: ANN401 - as above
    return value if isinstance(value, list) else [value]


def _seconds(value: Any) -> Any:  # noqa: ANN401 - as above
    return parse_duration(value) / SECOND if isinstance(value, str) else value


def _one_or_more(schema: dict[str, Any]) -> WithJsonSchema:
    return WithJsonSchema({"anyOf": [schema, {"type": "array", "items": schema, "minItems": 1}]})


PlainValue = Annotated[
    Any,
    PlainValidator(_plain),
    WithJsonSchema({"type": ["string", "number", "boolean", "null"]}),
]
Variable = Annotated[
    str, AfterValidator(_variable), Field(json_schema_extra={"pattern": rf"^{NAME_PATTERN}$"})
]
Id = Annotated[
    str,
    Field(max_length=100, json_schema_extra={"pattern": rf"^{ID_PATTERN}$"}),
    AfterValidator(_id),
]
Target = Annotated[
    str, AfterValidator(_target), Field(json_schema_extra={"pattern": rf"^{TARGET_PATTERN}$"})
]
"""`module:Class`."""
Text = Annotated[str, Field(min_length=1)]
Selection = dict[
    str,
    Annotated[
        list[PlainValue],
        BeforeValidator(_listed),
        Field(min_length=1),
        _one_or_more({"type": ["string", "number", "boolean", "null"]}),
    ],
]
"""Axis → the value or values that are meant."""
Figure = Annotated[
    float,
    BeforeValidator(_seconds),
    WithJsonSchema({"type": ["number", "string"], "examples": [1.5, "1.5s"]}),
]
"""A number; a duration stands for its seconds."""
Severity = Literal["error", "warning"]
World = Literal["sim", "real"]
Worlds = Annotated[
    list[World],
    BeforeValidator(_listed),
    Field(min_length=1),
    _one_or_more({"enum": list(get_args(World))}),
]


class Identity(FormatModel):
    """What the scenario is called and what it covers; references are not replaced here."""

    format: Annotated[int, BeforeValidator(_format)]
    name: Annotated[
        str,
        Field(max_length=100, json_schema_extra={"pattern": rf"^{NAME_OF_A_SCENARIO}$"}),
        AfterValidator(_scenario_name),
    ]
    summary: str = ""
    tags: list[Text] = Field(default_factory=list)
    covers: list[Text] = Field(default_factory=list)


class Matrix(BaseModel):
    """Axis → its values; the cells are their product less `exclude`."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)
    __pydantic_extra__: dict[Variable, Annotated[list[PlainValue], Field(min_length=1)]]

    exclude: list[Selection] = Field(default_factory=list)

    @property
    def axes(self) -> dict[str, list[Any]]:
        """Axis → its values, in the order of the file."""
        return self.__pydantic_extra__


class Cases(FormatModel):
    """A table: each row is a case; its inputs override variables, its outputs are for `expect`."""

    inputs: list[Variable] = Field(default_factory=list)
    outputs: list[Variable] = Field(default_factory=list)
    rows: list[Any] = Field(max_length=MAX_ROWS)
    """Lists, or mappings as `Row` has them."""


class Row(FormatModel):
    """A row of the table in its long form."""

    id: PlainValue = None
    in_: list[Any] = Field(alias="in", default_factory=list)
    out: list[Any] = Field(default_factory=list)


class Variation(FormatModel):
    """What makes several cells of one file; references are replaced in the order of definition."""

    system: Text
    world: Worlds = ["sim"]
    let: dict[Variable, Any] = Field(default_factory=dict)
    matrix: Matrix = Field(default_factory=Matrix)
    cases: Cases | None = None


class Observe(FormatModel):
    """When the values that `equals` and `invariant` read are taken."""

    at: Duration


class RunLimits(FormatModel):
    """What a run may use; reaching one is `unknown`, not a failure."""

    sim: Annotated[Duration, Field(gt=0)] = HOUR
    wall: Annotated[Duration, Field(gt=0)] = 60 * SECOND
    events: Annotated[int, Field(ge=1, le=MAX_EVENTS)] = 1_000_000


class Run(FormatModel):
    """How a cell runs and when it ends."""

    scheduler: Target | None = None
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] = 0
    settle: Duration = 0
    until: Duration | None = None
    ties: Annotated[Literal["fifo"], BeforeValidator(_ties)] = "fifo"
    observe: Observe | None = None
    limits: RunLimits = RunLimits()


class TimelineEntry(FormatModel):
    """When an entry is played, how often, and what it submits or calls."""

    at: Duration | None = None
    after: EventRef | None = None
    plus: Duration | None = None
    submit: Text | None = None
    call: Text | None = None
    id: Id | None = None
    repeat: Annotated[int, Field(ge=1, le=MAX_REPEAT)] | None = None
    every: Duration | None = None
    args: Any = None

    @model_validator(mode="after")
    def _agrees(self) -> TimelineEntry:
        if (self.submit is None) == (self.call is None):
            raise ValueError("an entry says either `submit` or `call`")
        if (self.at is None) == (self.after is None):
            raise ValueError("an entry says either `at` or `after`")
        if self.plus is not None and self.after is None:
            raise ValueError("`plus` goes with `after`")
        if self.every is not None and self.repeat is None:
            raise ValueError("`every` goes with `repeat`")
        return self


class DeclaredFailure(FormatModel):
    """The cell passes only if exactly this check fails, with this figure where one is given."""

    measured: Figure | None = None
    tolerance: Annotated[Figure, Field(ge=0)] = 0.0


class ExpectOptions(FormatModel):
    """What may stand beside the check in an entry of `expect`; `fails` is read for each cell."""

    because: str = ""
    severity: Severity = "error"
    world: Worlds | None = None
    when: Selection = Field(default_factory=dict)
    fails: Any = None
