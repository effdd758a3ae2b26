"""Conditions of work: paces multiply, sabotage counts, and both tell whom they have met."""

from __future__ import annotations

from windtunnel_models.cluster.conditions import Conditions, Sabotage, Slowness


def test_the_paces_of_the_start() -> None:
    conditions = Conditions({"inst-0": 2.0})
    assert conditions.pace("inst-0", "t") == 2.0
    assert conditions.pace("inst-1", "t") == 1.0


def test_slownesses_multiply_and_tell_whom_they_met() -> None:
    felt: list[str] = []
    conditions = Conditions({"inst-0": 2.0})
    conditions.slownesses += [
        Slowness(frozenset({"inst-0"}), 3, felt.append),
        Slowness(frozenset({"inst-0", "inst-1"}), 0.5, felt.append),
    ]
    assert conditions.pace("inst-0", "a") == 3.0
    assert conditions.pace("inst-1", "b") == 0.5
    assert conditions.pace("external", "c") == 1.0
    assert felt == ["a", "a", "b"]


def test_sabotage_strikes_as_often_as_it_may() -> None:
    felt: list[str] = []
    conditions = Conditions({})
    conditions.sabotages += [
        Sabotage(frozenset({"inst-0"}), "burnt", felt.append, left=2),
        Sabotage(frozenset({"inst-0", "external"}), "lost", felt.append),
    ]
    met = [conditions.failure(place, place) for place in ("inst-0", "inst-1", "inst-0", "inst-0")]
    assert met == ["burnt", None, "burnt", "lost"]
    assert conditions.failure("external", "x") == "lost"
    assert felt == ["inst-0", "inst-0", "inst-0", "x"]
    assert [sabotage.error for sabotage in conditions.sabotages] == ["lost"]
