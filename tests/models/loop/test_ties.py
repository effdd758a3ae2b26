"""The tie rule: what it chooses and what it keeps."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.world import Ties
from windtunnel_models.loop import ties
from windtunnel_models.loop.ties import TieRule

ASKED = st.lists(
    st.integers(2, 9).flatmap(lambda lanes: st.tuples(st.just(lanes), st.integers(1, lanes))),
    max_size=40,
)
ORDERS: Any = st.sampled_from(["fifo", "lifo", "seeded"])


def ask(rule: TieRule, asked: list[tuple[int, int]]) -> list[int]:
    return [rule.choose(lanes, present) for lanes, present in asked]


@given(ASKED, ORDERS, st.integers(0, 2**63 - 1))
def test_what_was_chosen_is_kept_and_chooses_the_same_again(
    asked: list[tuple[int, int]], order: Any, seed: int
) -> None:
    rule = TieRule(Ties(order, seed))
    chosen = ask(rule, asked)
    assert all(0 <= choice < lanes for choice, (lanes, _) in zip(chosen, asked, strict=True))
    assert (list(rule.choices), rule.asked) == (chosen, len(asked))
    assert ask(TieRule(Ties("fifo", 0, tuple(chosen))), asked) == chosen


@given(ASKED, ORDERS, st.integers(0, 100), st.integers(0, 40))
def test_the_first_choices_replay_the_rest_under_the_same_order_and_seed(
    asked: list[tuple[int, int]], order: Any, seed: int, kept: int
) -> None:
    chosen = ask(TieRule(Ties(order, seed)), asked)
    assert ask(TieRule(Ties(order, seed, tuple(chosen[:kept]))), asked) == chosen


def test_the_orders() -> None:
    assert ask(TieRule(Ties("fifo")), [(4, 2), (4, 4)]) == [0, 0]
    assert ask(TieRule(Ties("lifo")), [(4, 2), (4, 4)]) == [1, 3]
    seeded = ask(TieRule(Ties("seeded", 1)), [(4, 1)] * 400)
    assert [seeded.count(lane) > 60 for lane in range(4)] == [True] * 4


def test_seeds_differ() -> None:
    asked = [(3, 3)] * 30
    assert len({tuple(ask(TieRule(Ties("seeded", seed)), asked)) for seed in range(50)}) == 50


def test_a_given_choice_is_cut_to_the_lanes_there_are() -> None:
    assert ask(TieRule(Ties("lifo", 0, (9, 1))), [(3, 3), (3, 3), (3, 3)]) == [2, 1, 2]


def test_the_memory_of_choices_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ties, "MOST_CHOICES", 10)
    rule = TieRule(Ties("lifo"))
    ask(rule, [(2, 2)] * 50)
    assert (list(rule.choices), rule.asked) == ([1] * 10, 50)
