"""The known: for a day, in memory as in the store."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from path_kit import Shelf
from windtunnel.services.backend.answer import Answer
from windtunnel.services.backend.entry import OVER, new_entry
from windtunnel.services.backend.journal import KEPT
from windtunnel.services.backend.known import KNOWN, LIFE, Ended, Known, known_put
from windtunnel.services.backend.ledger import Ledger
from windtunnel.services.wire.task import Task
from windtunnel.units import SECOND, to_seconds
from windtunnel_models import run as run_simulated


@pytest.mark.spec("RT-R3", "RT-R6")
@given(st.lists(st.integers(0, LIFE // 2), max_size=20))
def test_each_is_known_for_a_day_and_no_longer_than_to_the_next(pauses: list[int]) -> None:
    known, now = Known(), 0
    ended: dict[str, int] = {}
    for number, pause in enumerate(pauses):
        now += pause
        known.add(f"t.{number}", Ended("done", offered=False, at=now))
        ended[f"t.{number}"] = now
        for id_, at in ended.items():
            assert (known.get(id_) is not None) == (now - at < LIFE)
    assert len(known) == sum(now - at < LIFE for at in ended.values())


@given(st.sampled_from(OVER), st.booleans(), st.integers(0))
def test_what_is_stored_is_what_is_read(place: str, offered: bool, at: int) -> None:
    entry = new_entry(1, Task("t"))
    entry.place, entry.offered = place, offered  # type: ignore[assignment]
    put = known_put(entry, at)
    assert (put.key, put.id, put.expires_s) == (KNOWN, "t", to_seconds(LIFE))
    known = Known()
    known.read("t", put.value, at)
    assert known.get("t") == (place, offered, at)


def test_a_clock_that_began_anew_keeps_nothing_for_longer_than_a_day() -> None:
    known = Known()
    known.read("t", f'["done",false,{LIFE * 9}]', SECOND)
    known.add("u", Ended("done", offered=False, at=SECOND + LIFE))
    assert (known.get("t"), len(known)) == (None, 1)


@pytest.mark.parametrize("text", ["{", "[]", "7", '["done",false,"x"]'])
def test_what_is_wrong_raises(text: str) -> None:
    with pytest.raises((TypeError, ValueError)):
        Known().read("t", text, 0)


@pytest.mark.spec("RT-R3", "RT-B4")
def test_a_task_that_is_over_is_taken_in_by_no_later_life_either() -> None:
    async def main() -> None:
        shelf = Shelf()
        ledger = Ledger(shelf.handle, lambda error: None, routing=True)
        for number in range(KEPT + 1):
            ledger.add(Task(f"t.{number}"))
            ledger.finish(Answer(f"t.{number}", "done"))
            await ledger.journal.keep()
        for _ in range(2):
            assert ledger.add(Task("t.0")) is None, "its result is kept no longer"
            assert ledger.counts()["done"] == KEPT
            shelf.crash()
            ledger = Ledger(shelf.handle, lambda error: None, routing=True)
            await ledger.load()
        await asyncio.sleep(to_seconds(LIFE))
        assert shelf.store.count(KNOWN) == 0

    run_simulated(main())
