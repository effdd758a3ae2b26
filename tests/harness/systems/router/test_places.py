"""The places: one event for each task that a commit moves, and the counts that come of them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.canonical import check_event
from windtunnel.ports.hosts import Moved
from windtunnel.systems.router.places import CACHE, LEDGER, TERMINAL, Places
from windtunnel.trace import Trace

Told = Callable[[Sequence[Moved]], None]


class Stores:
    """Hosts whose stores tell what a test says."""

    def __init__(self) -> None:
        self.told: dict[str, Told] = {}
        self.keys: dict[str, frozenset[str]] = {}

    def watch(self, host: str, keys: Collection[str], told: Told) -> None:
        self.told[host] = told
        self.keys[host] = frozenset(keys)


def watched() -> tuple[Stores, Places, Trace, list[tuple[str, str]]]:
    over: list[tuple[str, str]] = []
    trace = Trace(lambda: 0)
    places = Places(trace, lambda id_, outcome: over.append((id_, outcome)))
    stores: Any = Stores()
    places.watch(stores)
    return stores, places, trace, over


def moved(*moves: tuple[str, str, bool]) -> list[Moved]:
    return [Moved(*move) for move in moves]


def told(trace: Trace) -> list[tuple[str, str, str | None, str | None]]:
    for event in trace:
        check_event(event)
    return [
        (event.op, event.actor, event.details.get("from"), event.details.get("to"))
        for event in trace.of("task.moved")
    ]


@pytest.mark.spec("RT-R2", "RT-R3")
def test_the_tables_of_both_stores_are_watched() -> None:
    stores, _, _, _ = watched()
    assert stores.keys == {
        "backend": {"waiting", "sending", "inside", "outside", "done", "failed", "expired"},
        "dispatcher": {
            *("md:cache:pending", "md:cache:processing"),
            *("md:cache:offered", "md:cache:completed"),
        },
    }


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_task_that_changes_tables_in_one_commit_has_moved_once(order: tuple[int, int]) -> None:
    stores, places, trace, over = watched()
    stores.told["backend"](moved(("t.1", "waiting", True)))
    change = moved(("t.1", "waiting", False), ("t.1", "sending", True))
    stores.told["backend"]([change[place] for place in order])
    assert told(trace) == [
        ("t.1", "backend", None, "waiting"),
        ("t.1", "backend", "waiting", "sending"),
    ]
    assert (places.counts["waiting"], places.counts["sending"], over) == (0, 1, [])


def test_two_tasks_of_one_commit_are_two_moves() -> None:
    stores, _, trace, _ = watched()
    stores.told["dispatcher"](
        moved(
            ("t.1", "md:cache:processing", False),
            ("t.2", "md:cache:pending", True),
            ("t.1", "md:cache:completed", True),
        )
    )
    assert told(trace) == [
        ("t.1", "dispatcher", "processing", "completed"),
        ("t.2", "dispatcher", None, "pending"),
    ]


@pytest.mark.parametrize(("place", "outcome"), TERMINAL.items())
def test_a_task_is_over_when_the_ledger_says_so(place: str, outcome: str) -> None:
    stores, places, trace, over = watched()
    stores.told["backend"](moved(("t", "inside", True)))
    stores.told["backend"](moved(("t", "inside", False), ("t", place, True)))
    assert over == [("t", outcome)]
    stores.told["backend"](moved(("t", place, False)))  # trimmed
    assert told(trace)[-1] == ("t", "backend", place, None)
    assert places.counts[place] == 1
    assert over == [("t", outcome)]


def test_another_place_in_the_same_table_is_no_move() -> None:
    stores, places, trace, over = watched()
    stores.told["backend"](moved(("t", "done", True)))
    stores.told["backend"](moved(("t", "done", False), ("t", "done", True)))
    assert len(told(trace)) == len(over) == places.counts["done"] == 1


def test_what_is_completed_at_the_dispatcher_is_not_over_yet() -> None:
    stores, _, _, over = watched()
    stores.told["dispatcher"](moved(("t", "md:cache:completed", True)))
    assert over == []


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from([*LEDGER, ""])), max_size=30))
def test_counts_are_those_of_a_plain_model(steps: list[tuple[str, str]]) -> None:
    stores, places, trace, over = watched()
    at: dict[str, str] = {}
    ended = 0
    for id_, place in steps:
        before = at.get(id_, "")
        if before == place:
            continue
        moves = [Moved(id_, before, there=False)] if before else []
        moves += [Moved(id_, place, there=True)] if place else []
        stores.told["backend"](moves)
        at[id_] = place
        ended += place in TERMINAL
    for place in LEDGER:
        if place not in TERMINAL:
            assert places.counts[place] == list(at.values()).count(place)
    assert len(over) == ended == sum(places.counts[place] for place in TERMINAL)
    assert all(event.details for event in trace)


def test_no_two_tables_share_a_place() -> None:
    assert len({*LEDGER.values(), *CACHE.values()}) == len(LEDGER) + len(CACHE)
