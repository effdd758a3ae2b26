"""WaitingQueue: in the order of the numbers, lane by lane."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.services.backend.entry import Entry, new_entry
from windtunnel.services.backend.waiting_queue import LANES, WaitingQueue
from windtunnel.services.wire.task import Task


def entry(number: int, platform: str = "runninghub", *, external: bool = False) -> Entry:
    made = new_entry(number, Task(f"t.{number}", {}, platform))
    made.external = external
    return made


@pytest.mark.spec("RT-S6")
def test_lanes() -> None:
    queue = WaitingQueue(routing=True)
    for each in (entry(1), entry(2, external=True), entry(3, "elsewhere")):
        queue.add(each)
    found = {lane: [one.number for one in queue.first(lane)] for lane in LANES}
    assert found == {"routed": [1], "outside": [2], "direct": [3]}
    assert len(queue) == 3


@pytest.mark.spec("RT-S6")
def test_while_the_feature_is_off_nothing_is_routed() -> None:
    queue = WaitingQueue(routing=False)
    queue.add(entry(1))
    queue.add(entry(2, "elsewhere"))
    assert [queue.count(lane) for lane in LANES] == [0, 1, 1]


@pytest.mark.spec("RT-S5")
@given(st.lists(st.tuples(st.integers(1, 30), st.booleans())), st.integers(0, 10))
def test_whatever_comes_and_goes_they_are_in_order(
    steps: list[tuple[int, bool]], count: int
) -> None:
    queue = WaitingQueue(routing=True)
    there: dict[int, Entry] = {}
    for number, external in steps:
        if number in there:
            queue.remove(there.pop(number))
        else:
            there[number] = entry(number, external=external)
            queue.add(there[number])
        for lane in ("routed", "outside"):
            expected = sorted(n for n, one in there.items() if one.external == (lane == "outside"))
            assert [one.number for one in queue.first(lane)] == expected
            assert [one.number for one in queue.first(lane, count)] == expected[:count]
            assert queue.count(lane) == len(expected)
    assert len(queue) == len(there)
