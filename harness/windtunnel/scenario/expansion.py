"""Expansion: a scenario → its cells, every reference replaced and every value typed.

Imports the typing of a cell's parts. Deterministic: the matrix in the file's order, then the rows
of the cases, then the worlds.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from windtunnel.scenario.cell_expect import type_args, type_fails
from windtunnel.scenario.cell_policy import Policy, type_policy
from windtunnel.scenario.cell_timeline import EntryTyper, circular, entry_name, timeline_faults
from windtunnel.scenario.cells import Cell, Entry, Expectation
from windtunnel.scenario.document import Document, ExpectPart, Scenario
from windtunnel.scenario.models import Run
from windtunnel.scenario.problems import Problems
from windtunnel.scenario.timeline_names import EntryName, TimelineNames
from windtunnel.scenario.typing_memo import Memo, Typed, frozen, validated
from windtunnel.scenario.variations import Environment, Point, selects
from windtunnel.scenario.yaml_nodes import Fault
from windtunnel.scenario.yaml_scalars import Scalar
from windtunnel.world import Limits

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Overrides:
    """What the command line says in the file's place; None leaves the file's word."""

    world: str | None = None
    policy: str | None = None
    scheduler: str | None = None
    seed: int | None = None
    allow_code: bool = True
    """Whether a class that the file names may be loaded; one of the command line may."""

    def axes(self) -> dict[str, Scalar]:
        """Return the axes that are overridden."""
        return {"policy": self.policy, "scheduler": self.scheduler, "seed": self.seed}


def expand(
    scenario: Scenario,
    *,
    world: str | None = None,
    policy: str | None = None,
    scheduler: str | None = None,
    seed: int | None = None,
    allow_code: bool = False,
) -> tuple[Cell, ...]:
    """Return the cells of a scenario, none where it does not run in the world asked for.

    `policy`, `scheduler` (`module:Class`) and `seed` take the place of what the file says, an axis
    of that name included. Raises `ScenarioError` with every mistake in the values of the cells,
    and where the file names a foreign class without `allow_code`.
    """
    problems = Problems(scenario.file)
    overrides = Overrides(world, policy, scheduler, seed, allow_code)
    cells = check_document(scenario.document, problems, overrides)
    problems.raise_any()
    return tuple(
        replace(cell, scenario=scenario.name, covers=scenario.covers, tags=scenario.tags)
        for cell in cells
    )


def check_document(
    document: Document, problems: Problems, overrides: Overrides | None = None
) -> list[Cell]:
    """Return the cells that are right, without the scenario's name; adds what is wrong."""
    said = overrides or Overrides()
    expander = _Expander(document, problems, said)
    variations = document.variations.fixed(said.axes())
    points = [p for p in variations.points() if said.world in (None, p.world)]
    problems.cells = len(points)
    cells = [expander.cell(point, variations.variables(point)) for point in points]
    return [cell for cell in cells if cell is not None]


@dataclass(slots=True)
class _Expander:
    """Types the parts of one cell after the other, with one memo for all."""

    document: Document
    problems: Problems
    overrides: Overrides
    _memo: Memo = field(default_factory=Memo)
    _names: dict[Hashable, tuple[TimelineNames, tuple[Fault, ...]]] = field(default_factory=dict)

    def cell(self, point: Point, variables: Environment) -> Cell | None:
        """Return the cell of a point, or None where something in it is wrong."""
        if variables.faults:
            self.problems.add_for(point.label, variables.faults)
            return None
        part = _CellParts(self, point, variables)
        return part.cell()


class _CellParts:
    """The parts of one cell, and the faults found in them."""

    def __init__(self, expander: _Expander, point: Point, variables: Environment) -> None:
        self._expander = expander
        self._document = expander.document
        self._memo = expander._memo
        self._point = point
        self._variables = variables
        self._values = variables.values
        self._wrong = False

    def cell(self) -> Cell | None:
        run = self._take(self._run())
        policy = self._take(self._policy())
        given = self._take(self._given())
        names, signature = self._timeline_names(given)
        timeline = self._timeline(given, names, signature)
        expect = self._expect(run, policy, names, signature)
        if run is None or policy is None or given is None or self._wrong:
            return None
        row = self._point.row
        return Cell(
            scenario="",
            file=self._expander.problems.file,
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
            variables={**self._values, **self._variables.outputs},
        )

    def _take(self, typed: Typed[T]) -> T | None:
        self._add(typed.faults)
        self._wrong = self._wrong or not typed.sound
        return typed.value

    def _add(self, faults: tuple[Fault, ...]) -> None:
        self._wrong = self._wrong or bool(faults)
        self._expander.problems.add_for(self._point.label, faults)

    def _said(self, field_: str) -> Any:  # noqa: ANN401 - a plain value
        """Return what the command line or else an axis says for a field, or None."""
        override = self._expander.overrides.axes()[field_]
        return self._point.axes.get(field_) if override is None else override

    def _run(self) -> Typed[Run]:
        said = {key: value for key in ("scheduler", "seed") if (value := self._said(key)) is not None}
        part = self._document.run
        make = lambda data: self._type_run({**data, **said})  # noqa: E731 - one line says it
        return self._memo.typed(part, self._values, make, *map(frozen, said.values()), *said)

    def _type_run(self, data: dict[str, Any]) -> Typed[Run]:
        node = self._document.root
        typed = validated(Run, data, node)
        overrides = self._expander.overrides
        if typed.value is None or typed.value.scheduler is None:
            return typed
        if overrides.allow_code or overrides.scheduler is not None:
            return typed
        axis = node.child("matrix")
        place = node.child("scheduler") or (axis and axis.child("scheduler")) or node
        message = (
            f"the scheduler {typed.value.scheduler} is code of yours; allow it to be loaded with "
            "--allow-code"
        )
        return Typed(None, (Fault(*place.place(), message),))

    def _policy(self) -> Typed[Policy]:
        part, system = self._document.policy, self._document.system
        said = self._said("policy")
        make = lambda data: type_policy(data, self._policy_node(), system, said)  # noqa: E731 - as above
        return self._memo.typed(part, self._values, make, said)

    def _policy_node(self) -> Any:  # noqa: ANN401 - a node
        root = self._document.root
        matrix = root.child("matrix")
        axis = matrix.child("policy") if matrix else None
        return axis if axis is not None and root.child("policy") is None else self._document.policy.node

    def _given(self) -> Typed[Any]:
        part, model = self._document.given, self._document.system.given
        make = lambda data: validated(model, {} if data is None else data, part.node)  # noqa: E731 - as above
        return self._memo.typed(part, self._values, make)

    def _entries(self) -> list[Typed[dict[str, Any]]]:
        return [
            self._memo.typed(part, self._values, Typed, "data") for part in self._document.timeline
        ]

    def _timeline_names(self, given: Any) -> tuple[TimelineNames, Hashable]:  # noqa: ANN401 - the system's own
        nodes = [part.node for part in self._document.timeline]
        entries: list[EntryName | None] = [
            entry_name(data.value) if data.value is not None else None for data in self._entries()
        ]
        signature = (tuple(entries), id(given))
        known = self._expander._names
        if signature not in known:
            variables = {**self._values, **self._variables.outputs}
            found = [entry for entry in entries if entry is not None]
            names = TimelineNames(found, self._document.system, given, variables)
            known[signature] = (names, tuple(timeline_faults(entries, nodes)))
        names, faults = known[signature]
        self._add(faults)
        return names, signature

    def _timeline(
        self, given: Any, names: TimelineNames, signature: Hashable  # noqa: ANN401 - the system's own
    ) -> tuple[Entry, ...]:
        typer = EntryTyper(self._document.system, given, names, self._expander.problems.file)
        found: list[Entry | None] = []
        for part in self._document.timeline:
            make = lambda data, node=part.node: typer.type_entry(data, node)  # noqa: E731 - as above
            found.append(self._take(self._memo.typed(part, self._values, make, signature)))
        timeline = [entry for entry in found if entry is not None]
        if len(timeline) == len(found):
            self._add(tuple(circular(timeline, [part.node for part in self._document.timeline])))
        return tuple(timeline)

    def _expect(
        self, run: Run | None, policy: Policy | None, names: TimelineNames, signature: Hashable
    ) -> tuple[Expectation, ...]:
        selectable: Mapping[str, Any] = {
            **self._point.axes,
            "policy": policy.name if policy else None,
            "scheduler": run.scheduler if run else None,
            "seed": run.seed if run else None,
            "case": self._point.row.id if self._point.row else None,
            "world": self._point.world,
        }
        applying = [part for part in self._document.expect if self._applies(part, selectable)]
        if self._document.expect and not applying and run and policy:
            place = self._document.root.keys["expect"]
            self._add((Fault(*place, "no expectation applies, so there is nothing to check"),))
        return tuple(self._typed_expectations(applying, names, signature))

    def _applies(self, part: ExpectPart, selectable: Mapping[str, Any]) -> bool:
        here = part.worlds is None or self._point.world in part.worlds
        return here and selects(part.when, selectable)

    def _typed_expectations(
        self, parts: list[ExpectPart], names: TimelineNames, signature: Hashable
    ) -> Iterator[Expectation]:
        values = {**self._values, **self._variables.outputs}
        for part in parts:
            make = lambda data, part=part: type_args(part, data, names)  # noqa: E731 - as above
            args = self._take(self._memo.typed(part.args, values, make, signature))
            fails = None
            if part.fails is not None:
                make_fails = lambda data, part=part: type_fails(part, data)  # noqa: E731 - as above
                fails = self._take(self._memo.typed(part.fails, values, make_fails))
            if args is not None:
                yield Expectation(part.check, args, part.line, part.because, part.severity, fails)
