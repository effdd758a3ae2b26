"""The judgements of a cell: the expectations and thresholds that apply to it, typed.

Imports the typing of checks' arguments and of thresholds, and the cell that is being typed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from windtunnel.scenario.cells import Expectation, Threshold
from windtunnel.scenario.expanding.cell_expect import type_args
from windtunnel.scenario.expanding.cell_setup import Policy
from windtunnel.scenario.expanding.cell_thresholds import type_threshold
from windtunnel.scenario.expanding.timeline_names import TimelineNames
from windtunnel.scenario.expanding.typing_cell import TypingCell
from windtunnel.scenario.reading.models import DeclaredFailure, Run
from windtunnel.scenario.reading.scenario import ExpectPart, ThresholdPart
from windtunnel.scenario.reading.variations import selects
from windtunnel.scenario.source.validation import validated
from windtunnel.scenario.source.yaml_scalars import Scalar


class Judgements:
    """Types what must hold in one cell; `run` and `policy` are None where they are wrong."""

    def __init__(
        self, cell: TypingCell, names: TimelineNames, run: Run | None, policy: Policy | None
    ) -> None:
        self._cell = cell
        self._names = names
        self._run = run
        self._policy = policy
        self._selectable: Mapping[str, Scalar] = {
            **cell.point.axes,
            "policy": policy.name if policy else None,
            "scheduler": run.scheduler if run else None,
            "seed": run.seed if run else None,
            "case": cell.point.row.id if cell.point.row else None,
            "world": cell.point.world,
        }

    def expect(self) -> Iterator[Expectation]:
        """Iterate over the expectations that apply and are right."""
        run, policy = self._run, self._policy
        parts = [part for part in self._cell.scenario.expect if self._applies(part)]
        gating = any(part.severity == "error" for part in parts)
        if self._cell.scenario.expect and not gating and run and policy:
            which = "that is more than a warning " if parts else ""
            message = f"no expectation {which}applies, so there is nothing to check"
            self._cell.add([self._cell.scenario.root.key_fault("expect", message)])
        foreign = run is not None and run.scheduler is not None
        for part in parts:
            expectation = self._expectation(part, foreign=foreign)
            if expectation is not None:
                yield expectation

    def thresholds(self) -> Iterator[Threshold]:
        """Iterate over the thresholds that apply and are right."""
        memo = self._cell.memo
        for part in self._cell.scenario.thresholds:
            if self._applies(part):
                make = partial(type_threshold, part=part, names=self._names)
                found = self._cell.take(
                    memo.typed(part.args, self._cell.all_values, make, self._names)
                )
                if found is not None:
                    yield found

    def _applies(self, part: ExpectPart | ThresholdPart) -> bool:
        here = part.worlds is None or self._cell.point.world in part.worlds
        return here and selects(part.when, self._selectable)

    def _expectation(self, part: ExpectPart, *, foreign: bool) -> Expectation | None:
        memo, values = self._cell.memo, self._cell.all_values
        make = partial(type_args, part=part, names=self._names, foreign=foreign)
        args = self._cell.take(memo.typed(part.args, values, make, self._names, foreign))
        fails = None
        if part.fails is not None:
            declare = partial(validated, DeclaredFailure, node=part.fails.node)
            fails = self._cell.take(memo.typed(part.fails, values, declare))
        if args is None:
            return None
        return Expectation(part.check, args, part.line, part.because, part.severity, fails)
