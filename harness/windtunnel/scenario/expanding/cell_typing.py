"""The typing of one cell: each of its parts from the shared memo, its faults to the problems.

Imports the typing of the parts (`cell_setup`, `happenings`, `judgements`).
"""

from __future__ import annotations

from functools import partial
from typing import Any

from pydantic import BaseModel

from windtunnel.scenario.cells import Cell, Repeats
from windtunnel.scenario.expanding.cell_setup import (
    Policy,
    is_one_order,
    type_policy,
    type_run,
    type_ties,
)
from windtunnel.scenario.expanding.happenings import Happenings
from windtunnel.scenario.expanding.judgements import Judgements
from windtunnel.scenario.expanding.typing_cell import Shared, TypingCell
from windtunnel.scenario.reading.models import Run
from windtunnel.scenario.reading.scenario import Scenario
from windtunnel.scenario.reading.variations import CaseRow, Environment, Point, frozen, same
from windtunnel.scenario.source.validation import Typed, validated
from windtunnel.scenario.source.yaml_nodes import Node
from windtunnel.scenario.source.yaml_scalars import Scalar
from windtunnel.world import Limits


class CellTyper:
    """Types the parts of one cell, one after the other."""

    def __init__(self, shared: Shared, point: Point, variables: Environment) -> None:
        self._cell = TypingCell(shared, point, variables)
        self._scenario = shared.scenario
        self._variable_faults = variables.faults

    def cell(self) -> Cell | None:
        """Return the cell, or None where something in it is wrong."""
        cell = self._cell
        cell.add(self._variable_faults)
        if cell.wrong:
            return None
        run, policy, given = self._run(), self._policy(), self._given()
        happenings = Happenings(cell, given, None if run is None else run.seed)
        timeline, faults = happenings.timeline(), happenings.faults()
        order = happenings.order(timeline, faults)
        judgements = Judgements(cell, happenings.names, run, policy)
        expect, thresholds = tuple(judgements.expect()), tuple(judgements.thresholds())
        if run is None or policy is None or given is None or cell.wrong:
            return None
        scenario, point = self._scenario, cell.point
        return Cell(
            scenario=scenario.name,
            file=scenario.file,
            line=_line(scenario, point.row),
            axes=point.shown_axes,
            world=point.world,
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
            variables=cell.all_values,
            covers=scenario.covers,
            tags=scenario.tags,
            faults=faults,
            order=order,
            ties=type_ties(run),
            order_is_given="ties" in run.model_fields_set and is_one_order(run.ties),
            explore=run.ties.explore or 0,
            thresholds=thresholds,
            requires=scenario.requires,
            repeats=scenario.variations.repeats.get(point.world, Repeats()),
            tolerance=scenario.variations.tolerances.get(point.world, 0),
            status=scenario.status,
            case=None if point.row is None else cell.case,
        )

    def _said(self, name: str) -> tuple[Scalar, Node | None]:
        """Return what the command line or else an axis says for a field, and where it stands."""
        override = self._cell.shared.overrides.axes()[name]
        if override is not None or name not in self._cell.point.axes:
            return override, None
        value = self._cell.point.axes[name]
        axis = self._scenario.root.child("matrix")
        node = axis.child(name) if axis else None
        values = self._scenario.variations.axes[name]
        index = next(at for at, known in enumerate(values) if same(known, value))
        return value, node.child(index) if node else None

    def _run(self) -> Run | None:
        part, overrides = self._scenario.run, self._cell.shared.overrides
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
        return self._cell.take(self._cell.memo.typed(part, self._cell.values, make, key))

    def _policy(self) -> Policy | None:
        part = self._scenario.policy
        said, place = self._said("policy")
        make = partial(
            type_policy, node=part.node, system=self._scenario.system, said=said, place=place
        )
        return self._cell.take(self._cell.memo.typed(part, self._cell.values, make, frozen(said)))

    def _given(self) -> Any:  # noqa: ANN401 - the system's own model
        part, model = self._scenario.given, self._scenario.system.given

        def make(data: Any) -> Typed[BaseModel]:  # noqa: ANN401 - plain data
            return validated(model, {} if data is None else data, part.node)

        return self._cell.take(self._cell.memo.typed(part, self._cell.values, make))


def _line(scenario: Scenario, row: CaseRow | None) -> int:
    """Return the line of the scenario file that a cell comes from."""
    if row is None:
        return scenario.root.line
    elsewhere = scenario.root.child("cases") if row.node.file else None
    return row.node.line if elsewhere is None else (elsewhere.child("rows_from") or elsewhere).line
