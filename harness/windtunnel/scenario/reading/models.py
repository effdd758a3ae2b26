"""Models of format 1: what the keys of a scenario file are and what each may say.

Values arrive with their references replaced. Imports `windtunnel.fields` and pydantic.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetJsonSchemaHandler,
    PlainValidator,
    WithJsonSchema,
    model_validator,
)
from pydantic_core import CoreSchema

from windtunnel.event_names import ID_PATTERN
from windtunnel.fields import Duration
from windtunnel.scenario.reading.references import INDEX, NAME_PATTERN
from windtunnel.scenario.source.suggestions import did_you_mean
from windtunnel.units import HOUR, SECOND, parse_duration
from windtunnel.world import TieOrder

FORMAT: Final = 1
MAX_CELLS: Final = 10_000
MAX_ROWS: Final = 10_000
MAX_REPEAT: Final = 100_000
MAX_OPERATIONS: Final = 1_000_000
MAX_EVENTS: Final = 100_000_000
MAX_SEED: Final = 2**63 - 1
MAX_PLAYED: Final = 1_000
MAX_EXPLORED: Final = 10_000
MAX_CHOICES: Final = 100_000

RESERVED: Final = frozenset({INDEX, "case", "world"})
"""Names that no variable may have: they say which operation, row and world it is."""

TARGET_PATTERN: Final = r"[A-Za-z_][\w.]*:[A-Za-z_][\w.]*"
NAME_OF_A_SCENARIO: Final = r"[A-Za-z0-9][A-Za-z0-9._-]*"


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


def listed(value: Any) -> Any:  # noqa: ANN401 - as above
    """Return a list of what stands alone."""
    return value if isinstance(value, list) else [value]


def _seconds(value: Any) -> Any:  # noqa: ANN401 - as above
    return parse_duration(value) / SECOND if isinstance(value, str) else value


def one_or_more(schema: dict[str, Any]) -> WithJsonSchema:
    """Return the schema of a value that stands alone or in a list."""
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
        BeforeValidator(listed),
        Field(min_length=1),
        one_or_more({"type": ["string", "number", "boolean", "null"]}),
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
Status = Literal["active", "open", "quarantined"]
World = Literal["sim", "real"]
Worlds = Annotated[
    list[World],
    BeforeValidator(listed),
    Field(min_length=1),
    one_or_more({"enum": list(get_args(World))}),
]


FEATURES: Final = (
    *("desktop", "processes", "records", "friend_requests"),
    *("hosts", "network", "stores", "fleet", "external_platform"),
    *("faults", "ties", "virtual_time"),
)
"""What a world may have (`World.features`), for `requires`."""
_FEATURE: Final = {"enum": list(FEATURES)}


def _feature(text: str) -> str:
    if text not in FEATURES:
        raise ValueError(f"no world has a feature `{text[:40]}`{did_you_mean(text, FEATURES)}")
    return text


Feature = Annotated[str, AfterValidator(_feature), WithJsonSchema(_FEATURE)]


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
    status: Status = "active"
    """`open`: a fault that is found and not yet mended; `quarantined`: runs, does not gate."""
    requires: Annotated[list[Feature], BeforeValidator(listed), one_or_more(_FEATURE)] = Field(
        default_factory=list
    )
    """What a world must have; where it lacks something, the cell is skipped with that reason."""


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
    rows: list[Any] | None = Field(default=None, max_length=MAX_ROWS)
    """Lists, or mappings as `Row` has them."""
    rows_from: Text | None = None
    """A CSV file below the scenario root: inputs, outputs and perhaps `id`, in any order."""

    @model_validator(mode="after")
    def _one_source(self) -> Cases:
        if self.rows is None and self.rows_from is None:
            raise ValueError("`rows` is required here, or `rows_from`")
        if self.rows is not None and self.rows_from is not None:
            raise ValueError("a table has either `rows` or `rows_from`")
        return self


class Row(FormatModel):
    """A row of the table in its long form."""

    id: PlainValue = None
    in_: list[Any] = Field(alias="in", default_factory=list)
    out: list[Any] = Field(default_factory=list)
    world: Worlds | None = None
    """Where this row runs; without it, in every world of the file."""
    faults: list[Any] = Field(default_factory=list)
    """Faults beside those of the file."""


class OfWorld(FormatModel):
    """What is otherwise in one world."""

    let: dict[Variable, Any] = Field(default_factory=dict)
    """In the place of variables of the file's own `let`."""
    tolerance: Duration = 0
    """By how much every time that `expect` and `thresholds` speak of may be missed."""
    repeat: Annotated[int, Field(ge=1, le=MAX_PLAYED)] = 1
    """How often a cell is played."""
    pass_at_least: Annotated[int, Field(ge=1)] | None = None
    """How many of these have to pass; without it, all."""

    @model_validator(mode="after")
    def _can_pass(self) -> OfWorld:
        if self.pass_at_least is not None and self.pass_at_least > self.repeat:
            raise ValueError(f"`pass_at_least` is more than `repeat` plays ({self.repeat})")
        return self


class Variation(FormatModel):
    """What makes several cells of one file; references are replaced in the order of definition."""

    system: Text
    world: Worlds = ["sim"]
    let: dict[Variable, Any] = Field(default_factory=dict)
    matrix: Matrix = Field(default_factory=Matrix)
    cases: Cases | None = None
    per_world: dict[World, OfWorld] = Field(default_factory=dict)


class Sharing(FormatModel):
    """Which files of shared data are laid under this one."""

    include: Annotated[list[Text], BeforeValidator(listed), one_or_more({"type": "string"})] = (
        Field(default_factory=list)
    )
    """Paths relative to this file, below the scenario root; a later one over an earlier."""


class Observe(FormatModel):
    """When the values that `equals` and `invariant` read are taken."""

    at: Duration


class RunLimits(FormatModel):
    """What a run may use; reaching one is `unknown`, not a failure."""

    sim: Annotated[Duration, Field(gt=0)] = HOUR
    wall: Annotated[Duration, Field(gt=0)] = 60 * SECOND
    events: Annotated[int, Field(ge=1, le=MAX_EVENTS)] = 1_000_000


class TieRule(FormatModel):
    """Who goes first among the lanes that are ready at one instant; the real world ignores it."""

    order: TieOrder = "fifo"
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] | None = None
    """Of `seeded`; without it, the cell's."""
    explore: Annotated[int, Field(ge=1, le=MAX_EXPLORED)] | None = None
    """In how many orders, each by a seed of its own, the cell is played."""
    choices: list[Annotated[int, Field(ge=0)]] = Field(default_factory=list, max_length=MAX_CHOICES)
    """Taken before `order` is asked: the index of the lane chosen, one per tie."""

    @model_validator(mode="before")
    @classmethod
    def _in_short(cls, value: Any) -> Any:  # noqa: ANN401 - whatever stands in the file
        return value if isinstance(value, dict | TieRule) else {"order": value}

    @model_validator(mode="after")
    def _agrees(self) -> TieRule:
        for name in ("seed", "explore"):
            if getattr(self, name) is not None and self.order != "seeded":
                raise ValueError(f"`{name}` goes with `order: seeded`")
        if self.explore is not None and self.choices:
            raise ValueError("`explore` draws orders and `choices` names one: keep one of them")
        return self

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        """Return the schema: the name of an order, or a mapping."""
        return {"anyOf": [{"enum": list(get_args(TieOrder))}, handler(core)]}


class Run(FormatModel):
    """How a cell runs and when it ends."""

    scheduler: Target | None = None
    seed: Annotated[int, Field(ge=0, le=MAX_SEED)] = 0
    settle: Duration = 0
    until: Duration | None = None
    ties: TieRule = TieRule()
    observe: Observe | None = None
    limits: RunLimits = RunLimits()


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
