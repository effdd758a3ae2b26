"""The cell that is being typed: its values, what its scenario shares, and what is wrong in it.

Imports the memo, the problems and the variations.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from windtunnel.scenario.cells import Case
from windtunnel.scenario.expanding.cell_setup import Overrides
from windtunnel.scenario.expanding.timeline_names import TimelineNames
from windtunnel.scenario.expanding.typing_memo import Memo
from windtunnel.scenario.reading.scenario import Scenario
from windtunnel.scenario.reading.variations import Environment, Point
from windtunnel.scenario.source.problems import Problems
from windtunnel.scenario.source.validation import Typed
from windtunnel.scenario.source.yaml_nodes import Fault

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


class TypingCell:
    """One cell whose parts are typed one after the other."""

    def __init__(self, shared: Shared, point: Point, variables: Environment) -> None:
        self.shared = shared
        self.scenario = shared.scenario
        self.memo = shared.memo
        self.point = point
        self.values = variables.values
        self.all_values: dict[str, Any] = {**variables.values, **variables.outputs}
        """With the outputs of the cases, which only what is expected may refer to."""
        inputs = {name: self.values[name] for name in shared.scenario.variations.inputs}
        self.case = Case(inputs, variables.outputs)
        """The row of the table, without a column where there is none."""
        self.wrong = False

    def take(self, typed: Typed[T]) -> T | None:
        """Return the value of a part; adds what is wrong with it."""
        self.add(typed.faults)
        self.wrong = self.wrong or not typed.sound
        return typed.value

    def add(self, faults: Iterable[Fault]) -> None:
        """Add what is wrong in this cell."""
        if found := tuple(faults):
            self.wrong = True
            self.shared.problems.add_for(self.point.label, found)
