"""Coverage: each requirement with the scenarios and the tests that name it, and its verdict.

Imports the cells, the verdicts and the markers; plays nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from windtunnel.checks.base import Verdict
from windtunnel.requirements.catalogue import Catalogue
from windtunnel.requirements.markers import Marked
from windtunnel.scenario.cells import Cell

NOT_RUN: Final = "not run"
OPEN: Final = "open"
Outcome = Verdict | Literal["not run", "open", ""]
"""A verdict; `open` for a cell that fails as it is known to, which passes a run and meets no
requirement; `not run` for cells without a result; empty where there are no cells."""
CellKey = tuple[str, str]
"""File and name of a cell: two files may call their scenarios the same."""

_WORST_FIRST: Final[Sequence[Outcome]] = (
    Verdict.ERROR,
    Verdict.FAIL,
    OPEN,
    Verdict.UNKNOWN,
    Verdict.VACUOUS,
    NOT_RUN,
    Verdict.PASS,
    Verdict.SKIPPED,
)
_JUDGED: Final = frozenset({Verdict.PASS, Verdict.FAIL, OPEN})
"""What tells something of a requirement: `unknown`, `vacuous` and `error` are no judgements."""


def outcome_of(verdict: Verdict, status: str) -> Outcome:
    """Return what a result comes to, by its verdict and its scenario's status."""
    return OPEN if status == "open" and verdict is Verdict.PASS else verdict


@dataclass(frozen=True, slots=True)
class Covering:
    """A scenario that names a requirement."""

    scenario: str
    file: str
    outcomes: Mapping[Outcome, int]
    """How many of its cells came to what."""

    @property
    def outcome(self) -> Outcome:
        """The worst of them; cells that were skipped take nothing from those that passed."""
        return _worst(self.outcomes)


@dataclass(frozen=True, slots=True)
class Requirement:
    """A row: a requirement, and all that names it."""

    id: str
    text: str
    scenarios: tuple[Covering, ...]
    tests: tuple[Marked, ...]

    @property
    def outcome(self) -> Outcome:
        """The worst outcome of its scenarios."""
        return _worst(covering.outcome for covering in self.scenarios)

    @property
    def covered(self) -> bool:
        """Whether a test names it that is not skipped, or a scenario of which a cell was judged."""
        judged = any(_JUDGED & covering.outcomes.keys() for covering in self.scenarios)
        return judged or not all(test.skipped for test in self.tests)

    def as_json(self) -> dict[str, Any]:
        """Return the line of `--json`: version 1, JSON values only."""
        return {
            "v": 1,
            "id": self.id,
            "text": self.text,
            "covered": self.covered,
            "verdict": str(self.outcome),
            "scenarios": [
                {
                    "scenario": one.scenario,
                    "file": one.file,
                    "verdict": str(one.outcome),
                    "cells": {str(outcome): number for outcome, number in one.outcomes.items()},
                }
                for one in self.scenarios
            ],
            "tests": [
                {"test": test, "file": file, "line": line} for test, file, line in self._named()
            ],
        }

    def _named(self) -> Iterable[tuple[str, str, int]]:
        """Return each test once, at the first place that names the requirement."""
        first: dict[str, Marked] = {}
        for one in self.tests:
            first.setdefault(one.test, one)
        return ((one.test, one.file, one.line) for one in first.values())


def requirements(
    catalogue: Catalogue,
    cells: Iterable[Cell],
    tests: Iterable[Marked],
    outcomes: Mapping[CellKey, Outcome],
) -> tuple[Requirement, ...]:
    """Return a row for each requirement of the catalogue, in its order.

    `outcomes` are those of the cells. Ids that the catalogue lacks are left out: whoever
    reports mistakes finds them.
    """
    texts = catalogue.texts
    counted: dict[str, dict[tuple[str, str], Counter[Outcome]]] = {id_: {} for id_ in texts}
    for cell in cells:
        for id_ in texts.keys() & set(cell.covers):
            by_scenario = counted[id_].setdefault((cell.scenario, cell.file), Counter())
            by_scenario[outcomes.get((cell.file, cell.name), NOT_RUN)] += 1
    marked: dict[str, list[Marked]] = {id_: [] for id_ in texts}
    for one in tests:
        if one.id in marked:
            marked[one.id].append(one)
    return tuple(
        Requirement(
            id_,
            text,
            tuple(Covering(*scenario, found) for scenario, found in counted[id_].items()),
            tuple(marked[id_]),
        )
        for id_, text in texts.items()
    )


def _worst(outcomes: Iterable[Outcome]) -> Outcome:
    found = set(outcomes)
    return next((outcome for outcome in _WORST_FIRST if outcome in found), "")
