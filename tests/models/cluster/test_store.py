"""The store against a plain model: order, conditions, expiry, and what watchers are told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from windtunnel.ports.hosts import Moved
from windtunnel.ports.store import Change, Condition, Drop, Has, Lacks, Put, Trim
from windtunnel_models.access import AccessLog
from windtunnel_models.cluster.store import CLUSTER_ACCESSES, SimStore
from windtunnel_models.loop.sim_loop import SimLoop

KEYS = ("watched", "free")
IDS = ("a", "b", "c", "d")
NS = 1_000_000_000

keys, ids, values = st.sampled_from(KEYS), st.sampled_from(IDS), st.sampled_from("xyz")
puts = st.builds(
    Put, keys, ids, values, st.booleans(), st.none() | st.sampled_from([0.0, 1.0, 2.5, 7.0])
)
changes = st.lists(
    puts | st.builds(Drop, keys, ids) | st.builds(Trim, keys, st.integers(0, 3)), max_size=5
)
conditions = st.lists(
    st.builds(Has, keys, ids, st.none() | values) | st.builds(Lacks, keys, ids), max_size=2
)


class Plain:
    """The same in the plainest way: lists of (id, value, instant)."""

    def __init__(self) -> None:
        self.tables: dict[str, list[tuple[str, str, float]]] = {key: [] for key in KEYS}
        self.told: list[list[tuple[str, str, bool]]] = []

    def expire(self, now: int) -> None:
        for key, table in self.tables.items():
            gone = sorted((e for e in table if e[2] <= now), key=lambda e: e[2])
            self.tables[key] = [e for e in table if e[2] > now]
            by_instant: dict[float, list[str]] = {}
            for id_, _, until in gone:
                by_instant.setdefault(until, []).append(id_)
            if key == "watched":
                self.told.extend(
                    [(id_, key, False) for id_ in sorted(each)] for each in by_instant.values()
                )

    def holds(self, condition: Condition) -> bool:
        found = [v for id_, v, _ in self.tables[condition.key] if id_ == condition.id]
        if isinstance(condition, Lacks):
            return not found
        return bool(found) and condition.value in (None, found[0])

    def commit(self, changes: Sequence[Change], given: Sequence[Condition], now: int) -> bool:
        if not all(self.holds(each) for each in given):
            return False
        moves: list[tuple[str, str, bool]] = []
        for change in changes:
            moves += self._apply(change, now)
        moves = [move for move in moves if move[1] == "watched"]
        if moves:
            self.told.append(moves)
        return True

    def _apply(self, change: Change, now: int) -> list[tuple[str, str, bool]]:
        table = self.tables[change.key]
        if isinstance(change, Trim):
            gone = table[: max(0, len(table) - change.newest)]
            del table[: len(gone)]
            return [(id_, change.key, False) for id_, _, _ in gone]
        place = next((n for n, e in enumerate(table) if e[0] == change.id), None)
        if isinstance(change, Drop):
            if place is None:
                return []
            del table[place]
            return [(change.id, change.key, False)]
        until = float("inf")
        if change.expires_s is not None:
            until = now + max(1, int(change.expires_s * NS))
        entry = (change.id, change.value, until)
        if place is not None and not change.head:
            table[place] = entry
            return []
        if place is not None:
            del table[place]
        table.insert(0 if change.head else len(table), entry)
        return [] if place is not None else [(change.id, change.key, True)]


class Stores(RuleBasedStateMachine):
    """Whatever is committed, and however time goes on, both hold the same and tell the same."""

    @initialize()
    def make(self) -> None:
        self.loop = SimLoop()
        self.plain = Plain()
        self.store = SimStore(self.loop.env, AccessLog(), "host")
        self.told: list[list[tuple[str, str, bool]]] = []
        self.store.watch(["watched"], self._tell)

    def _tell(self, moved: Sequence[Moved]) -> None:
        gone = all(not there for _, _, there in moved)
        self.told.append(sorted(map(tuple, moved)) if gone else list(map(tuple, moved)))  # type: ignore[arg-type]

    @rule(changes=changes, given=conditions)
    def commit(self, changes: list[Change], given: list[Condition]) -> None:
        now = self.loop.env.now
        assert self.store.commit(changes, given) == self.plain.commit(changes, given, now)

    @rule(ns=st.sampled_from([1, NS // 2, NS, 3 * NS, 10 * NS]))
    def wait(self, ns: int) -> None:
        self.loop.env.run(until=self.loop.env.now + ns)
        # Expiry tells instant by instant.
        self.plain.expire(self.loop.env.now)

    @invariant()
    def both_hold_the_same(self) -> None:
        if not hasattr(self, "store"):
            return
        for key in KEYS:
            held = [(id_, value) for id_, value, _ in self.plain.tables[key]]
            assert self.store.first(key, 100) == held
            assert self.store.last(key, 2) == held[-2:]
            assert self.store.first(key, 1) == held[:1]
            assert self.store.count(key) == len(held)
            assert {id_: self.store.get(key, id_) for id_ in IDS} == {
                id_: dict(held).get(id_) for id_ in IDS
            }

    @invariant()
    def watchers_know(self) -> None:
        if not hasattr(self, "store"):
            return
        assert self.told == [
            sorted(moves) if all(not there for _, _, there in moves) else moves
            for moves in self.plain.told
        ]

    def teardown(self) -> None:
        if hasattr(self, "loop"):
            self.loop.close()


Stores.TestCase.settings = settings(max_examples=60, stateful_step_count=25)
TestStores = Stores.TestCase


@pytest.fixture
def loop() -> Any:
    made = SimLoop()
    yield made
    made.close()


def test_who_watches_later_is_told_of_what_expires_all_the_same(loop: SimLoop) -> None:
    store = SimStore(loop.env, AccessLog(), "host")
    told: list[tuple[float, str]] = []
    store.commit([Put("k", "a", "1", expires_s=5), Put("k", "b", "1", expires_s=2)], [])
    store.watch(["k"], lambda moved: told.extend((loop.time(), m.id) for m in moved))
    loop.env.run(until=20 * NS)
    assert told == [(2.0, "b"), (5.0, "a")]


def test_each_watcher_is_told_once_for_a_commit(loop: SimLoop) -> None:
    store = SimStore(loop.env, AccessLog(), "host")
    both: list[Any] = []
    one: list[Any] = []
    store.watch(["from", "to"], both.append)
    store.watch(["to"], one.append)
    store.commit([Put("from", "a", "1")], [])
    store.commit([Drop("from", "a"), Put("to", "a", "1"), Put("other", "a", "1")], [])
    store.commit([Put("to", "a", "2")], [])
    assert both == [
        [("a", "from", True)],
        [("a", "from", False), ("a", "to", True)],
    ]
    assert one == [[("a", "to", True)]]


@pytest.mark.parametrize("wrong", ["Put", Has("k", "a"), None])
def test_what_is_no_change_is_refused(loop: SimLoop, wrong: Any) -> None:
    store = SimStore(loop.env, AccessLog(), "host")
    with pytest.raises(TypeError, match="a change is a Put, a Drop or a Trim"):
        store.commit([wrong], [])


def test_what_is_no_condition_is_refused(loop: SimLoop) -> None:
    store = SimStore(loop.env, AccessLog(), "host")
    with pytest.raises(TypeError, match="a condition is a Has or a Lacks"):
        store.commit([], [Drop("k", "a")])  # type: ignore[list-item]


CALLS: dict[str, Callable[[SimStore], Any]] = {
    "get": lambda store: store.get("k", "a"),
    "first": lambda store: store.first("k", 1),
    "last": lambda store: store.last("k", 1),
    "count": lambda store: store.count("k"),
    "Has": lambda store: store.commit([], [Has("k", "a")]),
    "Lacks": lambda store: store.commit([], [Lacks("k", "a")]),
    "Put": lambda store: store.commit([Put("k", "a", "1")], []),
    "Drop": lambda store: store.commit([Drop("k", "a")], []),
    "Trim": lambda store: store.commit([Trim("k", 1)], []),
}


def test_the_table_of_accesses_has_every_call() -> None:
    assert CALLS.keys() == CLUSTER_ACCESSES.keys()


@pytest.mark.parametrize("call", CALLS)
def test_each_call_accesses_what_the_table_says(
    loop: SimLoop, call: str, hearing: Callable[..., Any]
) -> None:
    log = AccessLog()
    store = SimStore(loop.env, log, "host")
    CALLS[call](store)
    with hearing(log) as heard:
        CALLS[call](store)
    assert heard == [("store.host.k", CLUSTER_ACCESSES[call])]


def test_a_crowd_of_entries_that_expire_has_one_timer(loop: SimLoop) -> None:
    store = SimStore(loop.env, AccessLog(), "host")
    told: list[str] = []
    store.watch(["k"], lambda moved: told.extend(m.id for m in moved if not m.there))
    store.commit([Put("k", str(n), "x", expires_s=10 + n) for n in range(1000)], [])
    assert len(loop.env._queue) == 1
    loop.env.run(until=3000 * NS)
    assert told == [str(n) for n in range(1000)]
