"""How a cell is set up: its policy, what takes a set's place, and who may load code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from windtunnel.scenario.cells import Cell
from windtunnel.scenario.expanding.cell_setup import (
    Policy,
    default_policy,
    type_policy,
    type_run,
)
from windtunnel.scenario.source.validation import Typed
from windtunnel.scenario.source.yaml_nodes import Node, compose
from windtunnel.world import Ties


def typed(toy: Any, text: str, said: Any = None, place: Node | None = None) -> Typed[Policy]:
    node, _ = compose(f"policy: {text}")
    policy = node.child("policy")
    assert policy is not None
    return type_policy(policy.value, node=policy, system=toy, said=said, place=place)


def limit(found: Typed[Policy]) -> tuple[str, int]:
    assert found.value is not None, found.faults
    return found.value.name, found.value.options.limit


def test_a_named_set(toy: Any) -> None:
    assert limit(typed(toy, "listed")) == ("listed", 5)


def test_the_default_is_specified(toy: Any) -> None:
    assert limit(typed(toy, "null")) == ("specified", 10)
    toy.policies = {"only": {}, "other": {}}
    assert default_policy(toy) == "only"
    toy.policies = {}
    assert default_policy(toy) == "specified"


def test_options_over_a_set(toy: Any) -> None:
    assert limit(typed(toy, "{base: listed, limit: 7}")) == ("listed", 7)
    assert limit(typed(toy, "{base: listed}")) == ("listed", 5)
    assert limit(typed(toy, "{limit: 7}")) == ("specified", 7)


def test_what_was_said_takes_the_place_of_the_name_and_leaves_the_options(toy: Any) -> None:
    assert limit(typed(toy, "specified", said="listed")) == ("listed", 5)
    assert limit(typed(toy, "{base: specified, limit: 7}", said="listed")) == ("listed", 7)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("lsited", (1, 9), "`toy` has no policy `lsited`; did you mean `listed`?"),
        ("{base: lsited}", (1, 16), "has no policy `lsited`"),
        ("[listed]", (1, 9), "a policy is the name of a set, or `{base: name, …}`, not a list"),
        ("{base: 3}", (1, 16), "not 3"),
        ("{base: listed, limti: 3}", (1, 24), "unknown field `limti`; did you mean `limit`?"),
        ("{bsae: listed}", (1, 10), "unknown field `bsae`; did you mean `base`?"),
        ("{limit: many}", (1, 17), "a whole number is needed here, not 'many'"),
    ],
)
def test_mistakes_in_a_policy(toy: Any, text: str, place: tuple[int, int], message: str) -> None:
    found = typed(toy, text)
    assert found.value is None
    assert found.faults[0][:2] == place
    assert message in found.faults[0].message


def test_the_place_of_an_axis(toy: Any) -> None:
    found = typed(toy, "null", said="nothing", place=Node("nothing", 7, 8))
    assert found.faults[0][:2] == (7, 8)


def test_a_scheduler_of_the_file_is_refused_unless_allowed() -> None:
    node, _ = compose("seed: 1\nscheduler: a.b:C\n")
    refused = type_run(node.value, node, may_load=False)
    assert refused.value is None
    assert refused.faults[0][:2] == (2, 12)
    assert "--allow-code" in refused.faults[0].message
    allowed = type_run(node.value, node, may_load=True)
    assert allowed.value is not None
    assert allowed.value.scheduler == "a.b:C"


def test_without_a_scheduler_nothing_is_loaded() -> None:
    node, _ = compose("seed: 1\n")
    typed = type_run(node.value, node, may_load=False)
    assert typed.value is not None
    assert typed.value.seed == 1


def test_mistakes_in_a_run_are_told_at_their_places() -> None:
    node, _ = compose("seed: -1\nsettle: 5\n")
    assert [fault[:2] for fault in type_run(node.value, node, may_load=True).faults] == [
        (1, 7),
        (2, 9),
    ]


@pytest.mark.parametrize(
    ("said", "ties", "explore"),
    [
        ("fifo", Ties("fifo", 9), 0),
        ("lifo", Ties("lifo", 9), 0),
        ("seeded", Ties("seeded", 9), 0),
        ("{order: seeded, seed: 4, explore: 3}", Ties("seeded", 4), 3),
        ("{order: seeded, explore: $n}", Ties("seeded", 9), 2),
        ("{choices: [1, 0, 2]}", Ties("fifo", 9, (1, 0, 2)), 0),
    ],
)
def test_ties(cells: Callable[..., tuple[Cell, ...]], said: str, ties: Ties, explore: int) -> None:
    head = "format: 1\nname: probe\nsystem: toy\nexpect: [conservation: {}]\nseed: 9\nlet: {n: 2}\n"
    (cell,) = cells(head, f"ties: {said}\n")
    assert (cell.ties, cell.explore) == (ties, explore)


@pytest.mark.parametrize(
    ("said", "given"),
    [
        ("fifo", True),
        ("lifo", True),
        ("seeded", False),
        ("{order: seeded, explore: 3}", False),
        ("{order: seeded, choices: [1, 0]}", True),
    ],
)
def test_one_order_that_the_file_says_itself(
    cells: Callable[..., tuple[Cell, ...]], said: str, given: bool
) -> None:
    head = "format: 1\nname: probe\nsystem: toy\nexpect: [conservation: {}]\n"
    (cell,) = cells(head, f"ties: {said}\n")
    assert cell.order_is_given is given


def test_ties_without_a_word(cells: Callable[..., tuple[Cell, ...]]) -> None:
    (cell,) = cells("format: 1\nname: probe\nsystem: toy\nexpect: [conservation: {}]\n")
    assert not cell.ties.asked
    assert cell.explore == 0
