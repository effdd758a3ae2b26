"""Tables: the order of entries, and what expires when."""

from __future__ import annotations

import math

import pytest

from windtunnel_models.cluster.tables import Table


def table(*ids: str) -> Table:
    made = Table("store.host.key")
    for id_ in ids:
        made.put(id_, id_.upper(), math.inf, head=False)
    return made


def test_new_entries_come_last_or_first_and_old_ones_keep_their_place_or_move_to_the_head() -> None:
    entries = table("a", "b", "c")
    assert entries.put("z", "Z", math.inf, head=True)
    assert not entries.put("b", "new", math.inf, head=False)
    assert not entries.put("c", "C", math.inf, head=True)
    assert list(entries) == [("c", "C"), ("z", "Z"), ("a", "A"), ("b", "new")]
    assert next(reversed(entries)) == ("b", "new")
    assert len(entries) == 4


def test_what_is_dropped_is_gone() -> None:
    entries = table("a", "b")
    assert entries.drop("a")
    assert not entries.drop("a")
    assert "a" not in entries
    assert entries.get("a") is None
    assert entries.get("b") == "B"


@pytest.mark.parametrize(("newest", "gone"), [(0, "abc"), (2, "a"), (3, ""), (9, "")])
def test_the_oldest_are_trimmed(newest: int, gone: str) -> None:
    entries = table("a", "b", "c")
    assert entries.trim(newest) == list(gone)
    assert len(entries) == 3 - len(gone)


def test_entries_are_gone_at_their_instant_in_the_order_of_instants() -> None:
    entries = table()
    for id_, until in (("late", 30), ("first", 10), ("second", 10), ("never", math.inf)):
        entries.put(id_, "x", until, head=False)
    assert entries.next_due() == 10
    assert entries.expire(9) == []
    assert entries.expire(10) == ["first", "second"]
    assert entries.expire(1000) == ["late"]
    assert entries.next_due() == math.inf
    assert [id_ for id_, _ in entries] == ["never"]


def test_an_entry_that_is_put_again_has_its_new_instant_alone() -> None:
    entries = table()
    entries.put("a", "1", 10, head=False)
    entries.put("a", "2", 20, head=False)
    assert entries.expire(15) == []
    entries.put("a", "3", math.inf, head=False)
    assert entries.expire(100) == []
    assert entries.get("a") == "3"
    entries.put("b", "1", 200, head=False)
    entries.drop("b")
    entries.put("b", "2", math.inf, head=False)
    assert entries.expire(300) == []
