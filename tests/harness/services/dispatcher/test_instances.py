"""The instances: what is believed of each, by what is said and by what is not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.services.dispatcher.entry import Assignment, new_entry
from windtunnel.services.dispatcher.instances import Instances
from windtunnel.services.dispatcher.run import Run
from windtunnel.units import SECOND

pytestmark = pytest.mark.spec("RT-W4")


class Table:
    """Instances with a heartbeat of 1 s, dead after 3 s; what they tell is kept."""

    def __init__(self) -> None:
        self.notes: list[tuple[str, str]] = []
        self.changes = 0
        self.all = Instances(
            heartbeat=SECOND, dead_after=3 * SECOND, note=self._note, changed=self._changed
        )

    def _note(self, kind: str, op: str, details: Mapping[str, Any]) -> None:
        assert kind == "instance.known"
        self.notes.append((details["instance"], details["status"]))

    def _changed(self) -> None:
        self.changes += 1

    def counts(self) -> tuple[int, int, int, int]:
        return self.all.total, self.all.present, self.all.online, self.all.busy


def test_an_instance_is_online_busy_offline_and_each_is_told_once() -> None:
    table = Table()
    for _ in range(2):
        table.all.heard("b", "i", None, 0)
    table.all.assign("i", Run("t", 1), 1)
    assert table.counts() == (1, 1, 1, 1)
    table.all.heard("b", "i", Run("t", 1), 2)
    table.all.free("i", Run("t", 2))
    assert table.all.busy == 1
    table.all.free("i", Run("t", 1))
    table.all.unreached("b")
    assert table.counts() == (1, 1, 0, 0)
    assert table.all.went("i", "crashed")
    assert not table.all.went("i", "crashed")
    assert not table.all.went("nobody", "crashed")
    assert table.counts() == (1, 0, 0, 0)
    assert table.notes == [("i", "online"), ("i", "busy"), ("i", "online"), ("i", "offline")]
    assert table.changes == 4


def test_the_documents_example() -> None:
    """2 bridges, 8 instances, 6 online, 2 of them busy: 4 available."""
    table = Table()
    for number in range(8):
        table.all.heard(f"b{number % 2}", f"i{number}", None, 0)
    for number in (6, 7):
        table.all.went(f"i{number}", "switched off")
    for number in (0, 1):
        table.all.assign(f"i{number}", Run(f"t{number}", 1), 0)
    assert table.counts() == (8, 6, 6, 2)
    assert [each.id for each in table.all.free_ones()] == ["i2", "i3", "i4", "i5"]
    views = table.all.views()
    assert {bridge: len(shown) for bridge, shown in views.items()} == {"b0": 4, "b1": 4}
    assert views["b0"][0] == {
        "instanceId": "i0",
        "status": "busy",
        "currentTask": {"taskId": "t0", "startTime": "1970-01-01T00:00:00.000Z"},
    }
    assert views["b1"][3] == {"instanceId": "i7", "status": "offline", "currentTask": None}


def test_silence_is_a_loss_at_its_instant() -> None:
    table = Table()
    assert table.all.next_overdue() is None
    table.all.heard("b", "i", None, 0)
    table.all.heard("b", "j", None, SECOND)
    assert table.all.next_overdue() == 3 * SECOND
    assert table.all.overdue(3 * SECOND - 1) == 0
    assert table.all.overdue(3 * SECOND) == 1
    assert table.all.next_overdue() == 4 * SECOND
    table.all.heard("b", "j", None, 4 * SECOND)
    assert table.all.overdue(4 * SECOND) == 0
    assert table.notes[-1] == ("i", "offline")
    table.all.heard("b", "i", None, 5 * SECOND)
    assert table.all.present == 2


def test_a_run_that_is_not_named_for_two_heartbeats_is_lacking() -> None:
    table = Table()
    table.all.heard("b", "i", None, 0)
    run = Run("t", 1)
    table.all.assign("i", run, 0)

    def lacks(now: int, said: Run | None) -> bool:
        return table.all.lacks(table.all.heard("b", "i", said, now), said, now)

    assert not lacks(2 * SECOND - 1, None)
    assert not lacks(2 * SECOND, run)
    assert not lacks(4 * SECOND - 1, Run("x", 1))
    assert table.all.holds("i", run)
    assert lacks(4 * SECOND, Run("x", 1))
    assert not table.all.holds("i", run)
    assert table.all.busy == 1  # with the other
    table.all.heard("b", "i", None, 5 * SECOND)
    assert table.all.busy == 0


def test_one_that_was_out_of_reach_has_two_heartbeats_from_then() -> None:
    table = Table()
    table.all.heard("b", "i", None, 0)
    table.all.assign("i", Run("t", 1), 0)
    table.all.unreached("b")
    for now, lacks in ((2 * SECOND, False), (4 * SECOND - 1, False), (4 * SECOND, True)):
        instance = table.all.heard("b", "i", None, now)
        assert table.all.lacks(instance, None, now) == lacks


@pytest.mark.spec("RT-B3", "RT-D5")
def test_a_line_that_flaps_gives_no_more_time_to_one_that_has_said_it_has_nothing() -> None:
    table = Table()
    table.all.heard("b", "i", None, 0)
    table.all.assign("i", Run("t", 1), 0)

    def joins(now: int, said: Run | None = None, bridge: str = "b") -> bool:
        """Tell whether it lacks its run when its bridge comes back and names it."""
        table.all.unreached("b")
        return table.all.lacks(table.all.heard(bridge, "i", said, now), said, now)

    assert not joins(SECOND)  # the first it could say: two heartbeats from here
    assert not joins(2 * SECOND, bridge="c")  # another bridge changes nothing
    assert not joins(3 * SECOND - 1)
    assert joins(3 * SECOND)
    table.all.assign("i", Run("t", 2), 4 * SECOND)
    assert not joins(5 * SECOND)
    assert not joins(6 * SECOND, Run("t", 2))  # it has it: that is forgotten
    assert not joins(20 * SECOND)
    assert not joins(22 * SECOND - 1)
    assert joins(22 * SECOND)


def test_one_that_is_given_up_is_busy_until_it_says_that_it_is_free() -> None:
    table = Table()
    table.all.heard("b", "i", None, 0)
    table.all.assign("i", Run("t", 1), 0)
    table.all.give_up("i", Run("t", 2))
    assert table.all.holds("i", Run("t", 1))
    table.all.give_up("i", Run("t", 1))
    assert not table.all.holds("i", Run("t", 1))
    assert not table.all.is_free("i")
    table.all.heard("b", "i", None, 1)
    assert table.all.is_free("i")


def test_one_that_refuses_is_busy_with_something() -> None:
    table = Table()
    table.all.heard("b", "i", None, 0)
    table.all.assign("i", Run("t", 1), 0)
    table.all.refused("i", Run("t", 1))
    assert not table.all.is_free("i")
    shown = table.all.views()["b"][0]
    assert (shown["status"], shown["currentTask"]) == ("busy", None)


def test_after_a_restart_an_instance_is_expected_but_not_reached() -> None:
    table = Table()
    was = Assignment(new_entry("t", {}, 0), "i", "b", 7)
    table.all.restored(was, 0)
    assert table.counts() == (1, 1, 0, 0)
    assert table.all.holds("i", was.run)
    assert table.all.overdue(3 * SECOND) == 1
    assert not table.all.holds("i", was.run)


def test_one_that_was_heard_before_it_is_restored_stays_reached() -> None:
    table = Table()
    was = Assignment(new_entry("t", {}, 0), "i", "b", 7)
    table.all.heard("b", "i", was.run, 0)
    table.all.restored(was, 0)
    assert table.counts() == (1, 1, 1, 1)
    assert table.all.holds("i", was.run)


def test_what_an_instance_has_goes_with_it_to_another_bridge() -> None:
    table = Table()
    table.all.heard("b", "i", None, 0)
    table.all.assign("i", Run("t", 1), 0)
    table.all.heard("c", "i", Run("t", 1), 1)
    assert table.all.holds("i", Run("t", 1))
    assert table.all.is_of("i", "c")
    assert not table.all.is_of("i", "b")
    table.all.unreached("b")
    assert table.counts() == (1, 1, 1, 1)


NAMES = [f"i{number}" for number in range(4)]
STEPS = st.tuples(
    st.sampled_from(["heard", "moved", "busy", "assign", "free", "refused", "went", "unreached"]),
    st.sampled_from(NAMES),
)


def step(table: Table, what: str, id_: str) -> None:
    """Let something happen to an instance; what needs one that was heard passes over others."""
    run = Run("t", 1)
    known = table.all.is_of(id_, "b") or table.all.is_of(id_, "c")
    if what in ("heard", "moved", "busy"):
        table.all.heard("c" if what == "moved" else "b", id_, run if what == "busy" else None, 0)
    elif what == "unreached":
        table.all.unreached("b")
    elif what == "went":
        table.all.went(id_, "crashed")
    elif known and what == "assign":
        table.all.assign(id_, run, 0)
    elif known:
        getattr(table.all, what)(id_, run)


@given(st.lists(STEPS, max_size=30))
def test_the_free_ones_are_those_that_are_free_in_the_order_they_came(
    steps: list[tuple[str, str]],
) -> None:
    table, came = Table(), dict[str, None]()
    for what, id_ in steps:
        step(table, what, id_)
        if what in ("heard", "moved", "busy"):
            came.setdefault(id_)
        free = [each.id for each in table.all.free_ones()]
        assert free == [one for one in came if table.all.is_free(one)]
