"""A system under test: its vocabulary, and how services and ports make it in a world.

`ui` is the first; a user's own comes in through the entry point group `windtunnel.systems`.
Imports the framework's data (`trace`, `ports`, `world`) and pydantic, no world and no scenario.
"""

from __future__ import annotations

from collections.abc import Awaitable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol, cast

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler
from pydantic_core import CoreSchema

from windtunnel.acting import Gate
from windtunnel.world import World

_STRICT: Final = frozenset({"bool", "float", "int", "str"})
"""Schemas of plain values; lists stay open, since a file has no tuples."""


def _strict(schema: Any) -> Any:  # noqa: ANN401 - a core schema, or a part of one
    if isinstance(schema, list):
        return list(map(_strict, schema))
    if not isinstance(schema, dict):
        return schema
    type_ = schema.get("type")  # of the fields of a model, the field `type`
    own = {"default"} if type_ == "default" else frozenset()
    found = {key: part if key in own else _strict(part) for key, part in schema.items()}
    return found | {"strict": True} if isinstance(type_, str) and type_ in _STRICT else found


class Vocabulary(BaseModel):
    """Base of the models by which a system reads its part of a scenario file.

    Unknown fields are refused, and no plain value is converted: `'4'` is no number.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    @classmethod
    def __get_pydantic_core_schema__(
        cls,
        source: Any,  # noqa: ANN401 - pydantic's signature
        handler: GetCoreSchemaHandler,
        /,
    ) -> CoreSchema:
        """Make the schemas of the plain values in it strict."""
        return cast("CoreSchema", _strict(handler(source)))


class NoArgs(Vocabulary):
    """A call or a submission without arguments."""


@dataclass(frozen=True, slots=True)
class Operation:
    """One submission or one call of the timeline, ready to be played."""

    id: str
    """`id` of the entry, or `id.N` in a repeat."""
    mode: Literal["submit", "call"]
    name: str
    """The class submitted (`send_text`) or the service called (`watchdog.act`)."""
    args: Any
    """An instance of the model that the system gives for this name."""
    options: Any
    """An instance of the system's `submit_options`; `NoArgs` for a call."""


@dataclass(frozen=True, slots=True)
class Setup:
    """What a system is built from, once per run."""

    world: World
    given: Any
    """An instance of the system's `given`."""
    policy: Any
    """An instance of the system's `policy_options`."""
    scheduler: str | None
    """`module:Class` of a user's own class, or None for the system's own."""
    planned: tuple[Operation, ...]
    """The first operation of every entry, so that what is lacking is known before the run."""
    checks: frozenset[str] = frozenset()
    """The names of the checks that the cell's expectations use."""
    gate: Gate | None = None
    """Asked before each command of an operation: it holds back what `order` says."""
    seed: int = 0
    """Root of the system's own random streams."""


class SystemUnderTest(Protocol):
    """A built system, alive in a world."""

    async def start(self) -> None:
        """Bring the services up."""

    async def stop(self) -> None:
        """Take the services down; never hangs."""

    def submit(self, operation: Operation) -> Awaitable[None]:
        """Submit at this instant; the result is done when operation and caller have settled."""

    def call(self, operation: Operation) -> Coroutine[Any, Any, None]:
        """Call a service; its end is recorded as `call.ended`."""

    def observe(self) -> Mapping[str, Any]:
        """Return the observable values by name, as JSON values."""


class System(Protocol):
    """The plug-in: what a scenario of this system may say, and how it is built.

    Six more attributes are optional: `kinds` (kinds of trace event of its own) and, for operations
    that no entry of the timeline names, `batches` (calls that number their own operations,
    `ID.N`), `brings` (call → the classes of operation that it submits) and `background(given)`
    (ids and classes of what loops that run by themselves submit). For mistakes that no model sees
    alone: `mistakes(given, said)` (what cannot be with this `given` in the args of an operation or
    the fields of a fault, `said`, an instance of their model: pairs of where, as keys and indices
    from there on, and what is wrong) and `observable_parts` (observable → for each further part
    of a dotted name the words that it may be, None for any; none at all for a plain value).
    """

    name: str
    parts: tuple[str, ...]
    """The parts of a world that it stands on: `desktop`, `cluster`."""
    given: type[BaseModel]
    submit_options: type[BaseModel]
    """What a `submit` entry may say beside the timeline's own fields, such as `wait`."""
    submits: Mapping[str, type[BaseModel]]
    """Class → model of its `args`."""
    calls: Mapping[str, type[BaseModel]]
    """Service call → model of its `args`."""
    faults: Mapping[str, type[BaseModel]]
    """What `do` may be → model of its further fields (`target`, `by`, …)."""
    policy_options: type[BaseModel]
    policies: Mapping[str, Mapping[str, Any]]
    """Named set → options over the defaults."""
    observables: frozenset[str]
    default_checks: Mapping[str, Mapping[str, Any]]
    """Check → arguments, run over every cell that does not name that check itself."""

    def args_optional(self, given: Any, name: str) -> bool:  # noqa: ANN401 - the system's own model
        """Tell whether a submission of this class may leave its args out."""

    def commands(self, given: Any, name: str) -> tuple[str, ...]:  # noqa: ANN401 - as above
        """Return the commands that an operation of this class runs, in order, with repeats.

        `name` is a class submitted or a call (`route.send_text`); empty where it runs none.
        """

    def build(self, setup: Setup) -> SystemUnderTest:
        """Make the system in the world.

        Raises `RequirementError` when the scheduler lacks what the planned operations need (the
        cell is skipped with that reason) and `PluginError` when the class cannot be used at all.
        """
