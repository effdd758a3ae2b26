"""Split: the boundary table, and what it makes of any batch (the rules are in the properties)."""

from __future__ import annotations

from collections import deque

import pytest

from windtunnel.policies.router.split import split

# case: internal, external, tasks → to internal, to external, waiting
TABLE = {
    "1": (30, 10, 25, 25, 0, 0),
    "2": (30, 10, 30, 30, 0, 0),
    "3": (30, 10, 35, 30, 5, 0),
    "4": (30, 10, 40, 30, 10, 0),
    "5": (30, 10, 45, 30, 10, 5),
    "6": (0, 10, 5, 0, 5, 0),
    "7": (30, 0, 35, 30, 0, 5),
}


@pytest.mark.spec("RT-S1", "RT-S2")
@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
def test_the_boundary_table(row: tuple[int, int, int, int, int, int]) -> None:
    internal, external, tasks, inside, outside, waiting = row
    batch = list(range(tasks))
    parts = split(batch, internal, external)
    assert [len(part) for part in parts] == [inside, outside, waiting]
    assert [*parts.inside, *parts.outside, *parts.waiting] == batch


@pytest.mark.spec("RT-B1")
def test_with_no_instance_all_go_outside() -> None:
    assert split(["a", "b"], 0, 10) == ([], ["a", "b"], [])


@pytest.mark.spec("RT-S5")
def test_a_single_task_is_a_batch() -> None:
    assert split(["a"], 1, 1).inside == ["a"]
    assert split(["a"], 0, 1).outside == ["a"]
    assert split(["a"], 0, 0).waiting == ["a"]


@pytest.mark.spec("RT-S1")
@pytest.mark.parametrize(("internal", "external"), [(-1, -3), (0, 0), (-10, 0)])
def test_capacity_below_zero_is_none(internal: int, external: int) -> None:
    assert split("abc", internal, external) == ([], [], ["a", "b", "c"])


def test_the_batch_is_read_once_and_left_as_it_was() -> None:
    batch = deque("abcd")
    parts = split(batch, 1, 2)
    assert parts == (["a"], ["b", "c"], ["d"])
    assert batch == deque("abcd")
    assert split(iter("abcd"), 1, 2) == parts
