"""Faults planted on purpose, each with the checks of bundled scenarios that must notice it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

import pytest

from windtunnel.checks.base import Verdict
from windtunnel.scenario.results import CellResult

Plant = Callable[[pytest.MonkeyPatch], None]
Played = Callable[[Collection[str]], tuple[CellResult, ...]]


@dataclass(frozen=True)
class Faults:
    """A table of faults; `table(scenario_name="check check")` enters one, as a decorator."""

    rows: dict[str, tuple[Plant, frozenset[tuple[str, str]]]] = field(default_factory=dict)
    """Name → what plants it, and the (scenario, check) pairs that must turn red."""

    def __call__(self, **caught: str) -> Callable[[Plant], Plant]:
        """Enter a fault with the checks that must notice it, by scenario.

        A scenario's name is written with `_` for `-`; several checks with a space between.
        """
        expected = frozenset(
            (name.replace("_", "-"), check)
            for name, checks in caught.items()
            for check in checks.split()
        )

        def add(plant: Plant) -> Plant:
            self.rows[plant.__name__] = (plant, expected)
            return plant

        return add

    def require_green(self, played: Played) -> None:
        """Fail where a scenario that is named is not green without a fault."""
        named = {scenario for _, expected in self.rows.values() for scenario, _ in expected}
        red = {result.scenario for result in played(named) if result.verdict is not Verdict.PASS}
        assert red == set()

    def require_red(self, name: str, monkeypatch: pytest.MonkeyPatch, played: Played) -> None:
        """Plant a fault; fail where a check that must notice it does not."""
        plant, expected = self.rows[name]
        plant(monkeypatch)
        red = {
            (result.scenario, line.name)
            for result in played({scenario for scenario, _ in expected})
            for line in result.checks
            if line.verdict is Verdict.FAIL
        }
        assert expected <= red, f"{name} turned only these red: {sorted(red)}"
