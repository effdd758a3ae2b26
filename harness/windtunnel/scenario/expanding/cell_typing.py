"""The typing of one cell: each of its parts from the shared memo, its faults to the problems.

Imports the typing of the parts (`cell_setup`, `cell_timeline`, `cell_expect`).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

from pydantic import BaseModel

from windtunnel.scenario.cells import Cell, Entry, Expectation
from windtunnel.scenario.expanding.cell_expect import type_args
from windtunnel.scenario.expanding.cell_setup import Overrides, Policy, type_policy, type_run
from windtunnel.scenario.expanding.cell_timeline import EntryTyper, circular
from windtunnel.scenario.expanding.timeline_names import (
    EntryName,
    TimelineNames,
    entry_name,
    timeline_faults,
)
from windtunnel.scenario.expanding.typing_memo import Memo
from windtunnel.scenario.reading.models import DeclaredFailure, Run
from windtunnel.scenario.reading.scenario import ExpectPart, Part, Scenario
from windtunnel.scenario.reading.variations import Environment, Point, frozen, same, selects
from windtunnel.scenario.source.problems import Problems
from windtunnel.scenario.source.validation import Typed, validated
from windtunnel.scenario.source.yaml_nodes import Fault, Node
from windtunnel.scenario.source.yaml_scalars import Scalar
from windtunnel.world import Limits

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Shared:
    """What the cells of one scenario have in common."""

    scenario: Scenario
    problems: Problems
    overrides: Overrides
    memo: Memo = field(default_factory=Memo)
    timelines: dict[Hashable, tuple[TimelineNames, tuple[Fault, ...]]] = field(default_factory=dict)
    """Names of a timeline, and what is wrong between its entries, by what they hang on."""


class CellTyper:
    """Types the parts of one cell, one after the other."""

    def __init__(self, shared: Shared, point: Point, variables: Environment) -> None:
        self._shared = shared
        self._scenario = shared.scenario
        self._point = point
        self._values = variables.values
        self._all_values = {**variables.values, **variables.outputs}
        self._variable_faults = variables.faults
        self._wrong = False

    def cell(self) -> Cell | None:
        """Return the cell, or None where something in it is wrong."""
        self._add(self._variable_faults)
        if self._wrong:
            return None
        run, policy, given = self._run(), self._policy(), self._given()
        names = self._names(given)
        timeline = self._timeline(given, names)
        expect = tuple(self._expect(run, policy, names))
        if run is None or policy is None or given is None or self._wrong:
            return None
        scenario, row = self._scenario, self._point.row
        return Cell(
            scenario=scenario.name,
            file=scenario.file,
            line=row.node.line if row else scenario.root.line,
            axes=self._point.shown_axes,
            world=self._point.world,
            system=scenario.system.name,
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
            covers=scenario.covers,
            tags=scenario.tags,
        )

    def _take(self, typed: Typed[T]) -> T | None:
        self._add(typed.faults)
        self._wrong = self._wrong or not typed.sound
        return typed.value

    def _add(self, faults: Iterable[Fault]) -> None:
        if found := tuple(faults):
            self._wrong = True
            self._shared.problems.add_for(self._point.label, found)

    def _said(self, name: str) -> tuple[Scalar, Node | None]:
        """Return what the command line or else an axis says for a field, and where it stands."""
        override = self._shared.overrides.axes()[name]
        if override is not None or name not in self._point.axes:
            return override, None
        value = self._point.axes[name]
        axis = self._scenario.root.child("matrix")
        node = axis.child(name) if axis else None
        values = self._scenario.variations.axes[name]
        index = next(at for at, known in enumerate(values) if same(known, value))
        return value, node.child(index) if node else None

    def _run(self) -> Run | None:
        part, overrides = self._scenario.run, self._shared.overrides
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
        part = self._scenario.policy
        said, place = self._said("policy")
        make = partial(
            type_policy, node=part.node, system=self._scenario.system, said=said, place=place
        )
        return self._take(self._shared.memo.typed(part, self._values, make, frozen(said)))

    def _given(self) -> Any:  # noqa: ANN401 - the system's own model
        part, model = self._scenario.given, self._scenario.system.given

        def make(data: Any) -> Typed[BaseModel]:  # noqa: ANN401 - plain data
            return validated(model, {} if data is None else data, part.node)

        return self._take(self._shared.memo.typed(part, self._values, make))

    def _names(self, given: Any) -> TimelineNames:  # noqa: ANN401 - the system's own model
        """Return the names, the same object for the same entries: the memo tells cells by it."""
        entries = tuple(self._entry_name(part) for part in self._scenario.timeline)
        key = (entries, id(given))
        if key not in self._shared.timelines:
            found = [entry for entry in entries if entry is not None]
            variables = frozenset(self._all_values)
            names = TimelineNames(found, self._scenario.system, given, variables)
            faults = timeline_faults(entries, [part.node for part in self._scenario.timeline])
            self._shared.timelines[key] = names, tuple(faults)
        names, told = self._shared.timelines[key]
        self._add(told)
        return names

    def _entry_name(self, part: Part) -> EntryName | None:
        """Return what others can name of an entry; of one that is wrong, what it literally says."""
        data: Typed[dict[str, Any]] = self._shared.memo.typed(part, self._values, Typed, "data")
        return entry_name(part.node.value if data.value is None else data.value)

    def _timeline(self, given: Any, names: TimelineNames) -> tuple[Entry, ...]:  # noqa: ANN401 - as above
        memo, parts = self._shared.memo, self._scenario.timeline
        typer = EntryTyper(self._scenario.system, given, names, self._scenario.file)
        found = [
            self._take(
                memo.typed(part, self._values, partial(typer.type_entry, node=part.node), names)
            )
            for part in parts
        ]
        timeline = tuple(entry for entry in found if entry is not None)
        if len(timeline) == len(found):
            self._add(circular(timeline, [part.node for part in parts]))
        return timeline

    def _expect(
        self, run: Run | None, policy: Policy | None, names: TimelineNames
    ) -> Iterator[Expectation]:
        selectable = self._selectable(run, policy)
        parts = [part for part in self._scenario.expect if self._applies(part, selectable)]
        gating = any(part.severity == "error" for part in parts)
        if self._scenario.expect and not gating and run and policy:
            which = "that is more than a warning " if parts else ""
            message = f"no expectation {which}applies, so there is nothing to check"
            self._add([self._scenario.root.key_fault("expect", message)])
        foreign = run is not None and run.scheduler is not None
        for part in parts:
            expectation = self._expectation(part, names, foreign=foreign)
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

    def _expectation(
        self, part: ExpectPart, names: TimelineNames, *, foreign: bool
    ) -> Expectation | None:
        memo, values = self._shared.memo, self._all_values
        make = partial(type_args, part=part, names=names, foreign=foreign)
        args = self._take(memo.typed(part.args, values, make, names, foreign))
        fails = None
        if part.fails is not None:
            declare = partial(validated, DeclaredFailure, node=part.fails.node)
            fails = self._take(memo.typed(part.fails, values, declare))
        if args is None:
            return None
        return Expectation(part.check, args, part.line, part.because, part.severity, fails)
