"""The typing of one cell: each of its parts from the shared memo, its faults to the problems.

Imports the typing of the parts (`cell_run`, `cell_policy`, `cell_timeline`, `cell_expect`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel

from windtunnel.scenario.cells import Cell, Entry, Expectation
from windtunnel.scenario.expanding.cell_expect import type_args, type_fails
from windtunnel.scenario.expanding.cell_policy import Policy, type_policy
from windtunnel.scenario.expanding.cell_run import type_run
from windtunnel.scenario.expanding.cell_timeline import (
    EntryTyper,
    circular,
    entry_name,
    timeline_faults,
)
from windtunnel.scenario.expanding.timeline_names import EntryName, TimelineNames
from windtunnel.scenario.reading.document import Document, ExpectPart, Part
from windtunnel.scenario.reading.models import Run
from windtunnel.scenario.reading.typing_memo import Memo, Typed, frozen, validated
from windtunnel.scenario.reading.variations import Environment, Point, same, selects
from windtunnel.scenario.source.problems import Problems
from windtunnel.scenario.source.yaml_nodes import Fault, Node
from windtunnel.scenario.source.yaml_scalars import Scalar
from windtunnel.world import Limits

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Overrides:
    """What the command line says in the file's place; None leaves the file's word."""

    world: str | None = None
    policy: str | None = None
    scheduler: str | None = None
    seed: int | None = None
    allow_code: bool = False
    """Whether a class that the file names may be loaded; one of the command line may."""

    def axes(self) -> dict[str, Scalar]:
        """Return the fields that may be axes, with what is said for them."""
        return {"policy": self.policy, "scheduler": self.scheduler, "seed": self.seed}


class Named(NamedTuple):
    """The names of a timeline, with what tells them from another cell's."""

    names: TimelineNames
    signature: Hashable
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class Shared:
    """What the cells of one document have in common."""

    document: Document
    problems: Problems
    overrides: Overrides
    memo: Memo = field(default_factory=Memo)
    named: dict[Hashable, Named] = field(default_factory=dict)


class CellTyper:
    """Types the parts of one cell, one after the other."""

    def __init__(self, shared: Shared, point: Point, variables: Environment) -> None:
        self._shared = shared
        self._document = shared.document
        self._point = point
        self._values = variables.values
        self._all_values = {**variables.values, **variables.outputs}
        self._variable_faults = variables.faults
        self._wrong = False

    def cell(self) -> Cell | None:
        """Return the cell, without the scenario's name; None where something in it is wrong."""
        self._add(self._variable_faults)
        if self._wrong:
            return None
        run, policy, given = self._run(), self._policy(), self._given()
        named = self._named(given)
        timeline = self._timeline(given, named)
        expect = tuple(self._expect(run, policy, named))
        if run is None or policy is None or given is None or self._wrong:
            return None
        row = self._point.row
        return Cell(
            scenario="",
            file=self._shared.problems.file,
            line=row.line if row else self._document.root.line,
            axes=self._point.shown_axes,
            world=self._point.world,
            system=self._document.system.name,
            policy=policy.name,
            policy_options=policy.options,
            scheduler=run.scheduler,
            seed=run.seed,
            given=given,
            timeline=timeline,
            observe_at=run.observe.at if run.observe else None,
            settle=run.settle,
            until=run.until,
            limits=Limits(run.limits.sim, run.limits.wall, run.limits.events),
            expect=expect,
            variables=self._all_values,
        )

    def _take(self, typed: Typed[T]) -> T | None:
        self._add(typed.faults)
        self._wrong = self._wrong or not typed.sound
        return typed.value

    def _add(self, faults: Iterable[Fault]) -> None:
        found = tuple(faults)
        self._wrong = self._wrong or bool(found)
        self._shared.problems.add_for(self._point.label, found)

    def _said(self, name: str) -> tuple[Scalar, Node | None]:
        """Return what the command line or else an axis says for a field, and where it stands."""
        override = self._shared.overrides.axes()[name]
        if override is not None or name not in self._point.axes:
            return override, None
        value = self._point.axes[name]
        axis = self._document.root.child("matrix")
        node = axis.child(name) if axis else None
        values = self._document.variations.axes[name]
        index = next(at for at, known in enumerate(values) if same(known, value))
        return value, node.child(index) if node else None

    def _run(self) -> Run | None:
        part, overrides = self._document.run, self._shared.overrides
        node, said = part.node, {}
        for name in ("scheduler", "seed"):
            value, place = self._said(name)
            if value is not None:
                said[name] = value
                node = node.having(name, place)

        def make(data: dict[str, Any]) -> Typed[Run]:
            may_load = overrides.allow_code or overrides.scheduler is not None
            return type_run({**data, **said}, node, may_load=may_load)

        key = tuple((name, frozen(value)) for name, value in said.items())
        return self._take(self._shared.memo.typed(part, self._values, make, key))

    def _policy(self) -> Policy | None:
        part = self._document.policy
        said, place = self._said("policy")
        make = partial(
            type_policy, node=part.node, system=self._document.system, said=said, place=place
        )
        return self._take(self._shared.memo.typed(part, self._values, make, frozen(said)))

    def _given(self) -> Any:  # noqa: ANN401 - the system's own model
        part, model = self._document.given, self._document.system.given

        def make(data: Any) -> Typed[BaseModel]:  # noqa: ANN401 - plain data
            return validated(model, {} if data is None else data, part.node)

        return self._take(self._shared.memo.typed(part, self._values, make))

    def _named(self, given: Any) -> Named:  # noqa: ANN401 - the system's own model
        entries = tuple(self._entry_name(part) for part in self._document.timeline)
        signature = (entries, id(given))
        if signature not in self._shared.named:
            nodes = [part.node for part in self._document.timeline]
            found = [entry for entry in entries if entry is not None]
            variables = frozenset(self._all_values)
            names = TimelineNames(found, self._document.system, given, variables)
            faults = tuple(timeline_faults(entries, nodes))
            self._shared.named[signature] = Named(names, signature, faults)
        named = self._shared.named[signature]
        self._add(named.faults)
        return named

    def _entry_name(self, part: Part) -> EntryName | None:
        """Return what others can name of an entry; of one that is wrong, what it literally says."""
        data: Typed[dict[str, Any]] = self._shared.memo.typed(part, self._values, Typed, "data")
        return entry_name(part.node.value if data.value is None else data.value)

    def _timeline(self, given: Any, named: Named) -> tuple[Entry, ...]:  # noqa: ANN401 - as above
        file = self._shared.problems.file
        typer = EntryTyper(self._document.system, given, named.names, file)
        found = [
            self._take(
                self._shared.memo.typed(
                    part, self._values, partial(typer.type_entry, node=part.node), named.signature
                )
            )
            for part in self._document.timeline
        ]
        timeline = tuple(entry for entry in found if entry is not None)
        if len(timeline) == len(found):
            self._add(circular(timeline, [part.node for part in self._document.timeline]))
        return timeline

    def _expect(
        self, run: Run | None, policy: Policy | None, named: Named
    ) -> Iterator[Expectation]:
        selectable = self._selectable(run, policy)
        parts = [part for part in self._document.expect if self._applies(part, selectable)]
        if self._document.expect and not parts and run and policy:
            place = self._document.root.keys["expect"]
            self._add([Fault(*place, "no expectation applies, so there is nothing to check")])
        foreign = run is not None and run.scheduler is not None
        for part in parts:
            expectation = self._expectation(part, named, foreign=foreign)
            if expectation is not None:
                yield expectation

    def _selectable(self, run: Run | None, policy: Policy | None) -> Mapping[str, Scalar]:
        return {
            **self._point.axes,
            "policy": policy.name if policy else None,
            "scheduler": run.scheduler if run else None,
            "seed": run.seed if run else None,
            "case": self._point.row.id if self._point.row else None,
            "world": self._point.world,
        }

    def _applies(self, part: ExpectPart, selectable: Mapping[str, Scalar]) -> bool:
        here = part.worlds is None or self._point.world in part.worlds
        return here and selects(part.when, selectable)

    def _expectation(self, part: ExpectPart, named: Named, *, foreign: bool) -> Expectation | None:
        memo, values = self._shared.memo, self._all_values
        make = partial(type_args, part=part, names=named.names, foreign=foreign)
        args = self._take(memo.typed(part.args, values, make, named.signature, foreign))
        fails = None
        if part.fails is not None:
            fails = self._take(memo.typed(part.fails, values, partial(type_fails, part.fails.node)))
        if args is None:
            return None
        return Expectation(part.check, args, part.line, part.because, part.severity, fails)
