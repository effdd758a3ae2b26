"""PendingQueue: against a sorted list, whatever is pushed, popped and given up."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from windtunnel.policies.ui.ordering import SWEEP_FLOOR, PendingQueue

pytestmark = pytest.mark.spec("UI-Q1", "UI-K1")


@dataclass(eq=False)
class Item:
    """What is queued; no order of its own, so a comparison of two would be a TypeError."""

    rank: int
    number: int
    wanted: bool = True


def queue() -> PendingQueue[Item]:
    return PendingQueue(lambda item: item.rank, lambda item: item.wanted)


@given(st.lists(st.integers(0, 3), max_size=60))
def test_the_smaller_rank_first_and_first_in_first_out_within_it(ranks: list[int]) -> None:
    pending = queue()
    items = [Item(rank, number) for number, rank in enumerate(ranks)]
    for item in items:
        pending.push(item)
    assert len(pending) == len(items)
    popped = [pending.pop() for _ in items]
    assert popped == sorted(items, key=lambda item: item.rank)  # sorted() is stable
    assert pending.pop() is None


def test_the_rank_is_asked_once_when_the_entry_comes_in() -> None:
    pending = queue()
    early, late = Item(1, 0), Item(2, 1)
    pending.push(early)
    pending.push(late)
    early.rank = 3
    assert pending.pop() is early


def test_a_number_never_comes_again() -> None:
    pending = queue()
    pending.push(Item(0, 0))
    pending.pop()
    first, second = Item(0, 1), Item(0, 2)
    pending.push(first)
    pending.pop()
    pending.push(second)
    pending.push(first)
    assert pending.pop() is second


def test_an_entry_given_up_leaves_the_count_at_once_and_is_passed_in_its_turn() -> None:
    pending = queue()
    items = [Item(0, number) for number in range(3)]
    for item in items:
        pending.push(item)
    items[1].wanted = False
    assert pending.give_up() == []
    assert len(pending) == 2
    assert [pending.pop() for _ in items] == items
    assert len(pending) == 0


class Sequences(RuleBasedStateMachine):
    """Pushes, pops and give-ups in any order, beside a plain list of what is held."""

    def __init__(self) -> None:
        super().__init__()
        self.pending = queue()
        self.held: list[Item] = []
        self.pushed = 0

    @rule(rank=st.integers(0, 3), many=st.integers(1, 50))
    def push(self, rank: int, many: int) -> None:
        for _ in range(many):
            item = Item(rank, self.pushed)
            self.pushed += 1
            self.pending.push(item)
            self.held.append(item)

    @rule(many=st.integers(1, 40))
    def pop(self, many: int) -> None:
        for _ in range(many):
            expected = min(self.held, key=lambda item: (item.rank, item.number), default=None)
            assert self.pending.pop() is expected
            if expected is not None:
                self.held.remove(expected)

    @precondition(lambda self: any(item.wanted for item in self.held))
    @rule(data=st.data(), many=st.integers(1, 60))
    def give_up(self, data: st.DataObject, many: int) -> None:
        wanted = [item for item in self.held if item.wanted]
        start = data.draw(st.integers(0, len(wanted) - 1))
        for item in wanted[start : start + many]:
            item.wanted = False
            swept = self.pending.give_up()
            assert all(not gone.wanted for gone in swept)
            assert len(swept) == len(set(map(id, swept)))
            for gone in swept:
                self.held.remove(gone)
            dead = sum(not item.wanted for item in self.held)
            assert dead < SWEEP_FLOOR or 2 * dead <= len(self.held)

    @invariant()
    def the_count_is_what_is_wanted(self) -> None:
        assert len(self.pending) == sum(item.wanted for item in self.held)

    @invariant()
    def nothing_is_held_beyond_that(self) -> None:
        assert len(self.pending._heap) == len(self.held)


TestSequences = Sequences.TestCase


@pytest.mark.parametrize("alive", [0, 10, 100])
def test_memory_follows_what_is_wanted_not_what_was_cancelled(alive: int) -> None:
    pending = queue()
    for number in range(alive):
        pending.push(Item(0, number))
    most = 0
    for number in range(5000):
        item = Item(3, alive + number)
        pending.push(item)
        item.wanted = False
        pending.give_up()
        most = max(most, len(pending._heap))
    assert most <= max(2 * alive, alive + SWEEP_FLOOR) + 1
    assert len(pending) == alive


def test_sweeping_costs_a_constant_for_each_entry() -> None:
    looks = 0

    def wanted(item: Item) -> bool:
        nonlocal looks
        looks += 1
        return item.wanted

    pending: PendingQueue[Item] = PendingQueue(lambda item: item.rank, wanted)
    items = [Item(0, number) for number in range(10_000)]
    for item in items:
        pending.push(item)
    for item in items:
        item.wanted = False
        pending.give_up()
    assert len(pending) == 0
    assert looks <= 2 * len(items) * math.ceil(math.log2(SWEEP_FLOOR))
