"""Ledger: each task in exactly one place, in memory and in the store, whatever happens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from path_kit import PLACES, Shelf
from windtunnel.services.backend.answer import Answer
from windtunnel.services.backend.entry import OVER
from windtunnel.services.backend.journal import KEPT, UNTOLD
from windtunnel.services.backend.ledger import Ledger
from windtunnel.services.wire.task import Task
from windtunnel_models import run as run_simulated

Run = Callable[[Coroutine[Any, Any, None]], None]


def ledger_on(shelf: Shelf) -> Ledger:
    return Ledger(shelf.handle, lambda error: None, routing=True)


@pytest.mark.spec("RT-R3")
def test_a_task_is_taken_in_once(run: Run) -> None:
    async def main() -> None:
        ledger = ledger_on(Shelf())
        entry = ledger.add(Task("t", {"workflow_id": "w"}))
        assert entry is not None
        assert ledger.add(Task("t")) is None
        assert ledger.entry("t") is entry
        ledger.finish(Answer("t", "done"))
        assert ledger.add(Task("t")) is None, "nor when it is over"
        assert (ledger.entry("t"), ledger.place("t")) == (None, "done")

    run(main())


@pytest.mark.spec("RT-R3")
def test_it_moves_from_where_it_is_alone(run: Run) -> None:
    async def main() -> None:
        ledger = ledger_on(Shelf())
        entry = ledger.add(Task("t"))
        assert entry is not None
        assert not ledger.move(entry, "sending", "inside")
        assert ledger.move(entry, "waiting", "sending")
        assert (len(ledger.waiting), list(ledger.at("sending"))) == (0, [entry])
        ledger.finish(Answer("t", "failed"))
        assert not ledger.move(entry, "sending", "inside"), "over is over"
        assert ledger.counts() == dict.fromkeys(PLACES, 0) | {"failed": 1}

    run(main())


@pytest.mark.spec("F-R17", "RT-C3")
def test_the_first_result_wins(run: Run) -> None:
    async def main() -> None:
        shelf = Shelf()
        ledger = ledger_on(shelf)
        ledger.add(Task("t"))
        assert ledger.finish(Answer("t", "done", 1)) is not None
        assert ledger.finish(Answer("t", "failed")) is None
        assert ledger.finish(Answer("unknown", "done")) is None
        assert ledger.untold == {"t": Answer("t", "done", 1)}
        await ledger.journal.keep()
        assert shelf.store.get(UNTOLD, "t") is not None
        ledger.told("t")
        ledger.told("t")
        await ledger.journal.keep()
        assert shelf.store.get(UNTOLD, "t") is None
        assert ledger.untold == {}

    run(main())


def test_what_is_over_is_kept_for_the_newest_alone(run: Run) -> None:
    async def main() -> None:
        shelf = Shelf()
        ledger = ledger_on(shelf)
        for number in range(KEPT + 5):
            ledger.add(Task(f"t.{number}"))
            ledger.finish(Answer(f"t.{number}", "done"))
            await ledger.journal.keep()
        assert ledger.place("t.4") == "done", "known, though its result is not kept"
        assert ledger.place("t.5") == "done"
        assert ledger.counts()["done"] == KEPT
        assert shelf.tables()["done"] == [f"t.{number}" for number in range(5, KEPT + 5)]

    run(main())


@pytest.mark.spec("RT-D5")
def test_that_a_task_was_taken_over_is_remembered_when_it_is_over(run: Run) -> None:
    async def main() -> None:
        shelf = Shelf()
        ledger = ledger_on(shelf)
        for id_ in "ab":
            entry = ledger.add(Task(id_))
            assert entry is not None
            entry.offered = id_ == "a"
            ledger.move(entry, "waiting", "sending")
        for _ in range(2):
            assert [ledger.taken_over(id_) for id_ in "abc"] == [True, False, False]
            ledger.finish(Answer("a", "done"))
            await ledger.journal.keep()
        shelf.crash()
        again = ledger_on(shelf)
        await again.load()
        assert [again.taken_over(id_) for id_ in "abc"] == [True, False, False]

    run(main())


STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ["add", "send", "take", "back", "finish", "told", "keep", "down", "up", "crash"]
        ),
        st.integers(0, 5),
    ),
    max_size=40,
)


class Model:
    """What a ledger should hold, and what of it the store has."""

    def __init__(self) -> None:
        self.places: dict[str, str] = {}
        self.untold: set[str] = set()
        self.kept: tuple[dict[str, str], set[str]] = ({}, set())

    def keep(self) -> None:
        self.kept = (dict(self.places), set(self.untold))

    def crash(self) -> None:
        self.places, self.untold = dict(self.kept[0]), set(self.kept[1])


def step(ledger: Ledger, model: Model, what: str, id_: str) -> None:
    """Do the same in both."""
    entry = ledger.entry(id_)
    place = model.places.get(id_)
    if what == "add":
        assert (ledger.add(Task(id_)) is None) == (place is not None)
        model.places.setdefault(id_, "waiting")
    elif what == "finish":
        assert (ledger.finish(Answer(id_, "done")) is None) == (place in (None, *OVER))
        if place not in (None, *OVER):
            model.places[id_] = "done"
            model.untold.add(id_)
    elif what == "told":
        ledger.told(id_)
        model.untold.discard(id_)
    elif entry is not None:
        from_, to = {
            "send": ("waiting", "sending"),
            "take": ("sending", "inside"),
            "back": ("inside", "waiting"),
        }[what]
        assert ledger.move(entry, from_, to) == (place == from_)  # type: ignore[arg-type]
        if place == from_:
            model.places[id_] = to


@pytest.mark.spec("RT-R3", "RT-B4", "RT-X2", "F-R9")
@settings(max_examples=200, deadline=None)
@given(STEPS)
def test_whatever_happens_memory_and_store_agree(steps: list[tuple[str, int]]) -> None:
    async def main() -> None:
        shelf, model = Shelf(), Model()
        ledger = ledger_on(shelf)
        running = asyncio.ensure_future(ledger.journal.run())
        for what, number in steps:
            if what == "down":
                shelf.go_down()
            elif what == "up":
                shelf.come_up()
                await asyncio.sleep(2)
            elif what == "keep":
                if await ledger.journal.keep():
                    model.keep()
            elif what == "crash":
                running.cancel()
                shelf.come_up()
                shelf.crash()
                ledger = ledger_on(shelf)
                await ledger.load()
                model.crash()
                running = asyncio.ensure_future(ledger.journal.run())
            else:
                step(ledger, model, what, f"t.{number}")
            await agree(ledger, model, shelf)
        running.cancel()

    run_simulated(main())


async def agree(ledger: Ledger, model: Model, shelf: Shelf) -> None:
    assert {id_: ledger.place(id_) for id_ in model.places} == model.places
    assert set(ledger.untold) == model.untold
    counts = ledger.counts()
    assert {p: counts[p] for p in PLACES} == {
        place: list(model.places.values()).count(place) for place in PLACES
    }
    stored = {id_: place for place, ids in shelf.tables().items() for id_ in ids}
    assert sum(map(len, shelf.tables().values())) == len(stored), "two places have one task"
    if not ledger.journal.down and not shelf.store.outages and stored != model.kept[0]:
        # It was down and has been mended: the journal has merged all.
        await ledger.journal.keep()
        model.keep()
        stored = {id_: place for place, ids in shelf.tables().items() for id_ in ids}
    assert stored == model.kept[0] or shelf.store.outages or ledger.journal.down
