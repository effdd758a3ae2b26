"""Journal: one commit for all of an instant, each task's whole move, a store that fails."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from path_kit import Shelf
from windtunnel.ports.store import StoreError
from windtunnel.services.backend.answer import Answer
from windtunnel.services.backend.ledger import Ledger
from windtunnel.services.wire.task import Task

Run = Callable[[Coroutine[Any, Any, None]], None]


class Kept:
    """A ledger on a shelf, its journal running."""

    def __init__(self) -> None:
        self.shelf = Shelf()
        self.met: list[StoreError] = []
        self.ledger = Ledger(self.shelf.handle, self.met.append, routing=True)
        self.journal = self.ledger.journal
        self.running = asyncio.ensure_future(self.journal.run())

    def add(self, *ids: str) -> None:
        for id_ in ids:
            self.ledger.add(Task(id_))

    def send(self, id_: str) -> None:
        entry = self.ledger.entry(id_)
        assert entry is not None
        assert self.ledger.move(entry, "waiting", "sending")


@pytest.mark.spec("RT-R3")
def test_what_happens_at_one_instant_is_one_commit(run: Run) -> None:
    async def main() -> None:
        kept = Kept()
        kept.add("a", "b", "c")
        assert all(await asyncio.gather(*(kept.journal.keep() for _ in range(3))))
        assert [len(moves) for moves in kept.shelf.commits] == [3]
        kept.send("a")
        kept.ledger.finish(Answer("b", "failed"))
        await kept.journal.keep()
        assert [len(moves) for moves in kept.shelf.commits] == [3, 4]

    run(main())


@pytest.mark.spec("RT-R3")
def test_a_commit_holds_the_whole_move(run: Run) -> None:
    async def main() -> None:
        kept = Kept()
        kept.add("a")
        await kept.journal.keep()
        kept.send("a")
        kept.ledger.finish(Answer("a", "done"))
        await kept.journal.keep()
        moves = [(move.key, move.there) for move in kept.shelf.commits[-1]]
        assert moves == [("waiting", False), ("done", True)]

    run(main())


def test_what_changes_during_a_commit_is_in_the_next(run: Run) -> None:
    async def main() -> None:
        kept = Kept()
        kept.add("a")
        first = asyncio.ensure_future(kept.journal.keep())
        await asyncio.sleep(0)  # the commit is under way
        kept.send("a")
        await first
        assert kept.shelf.tables()["waiting"] == ["a"]
        await kept.journal.keep()
        assert kept.shelf.tables() == {**kept.shelf.tables(), "waiting": [], "sending": ["a"]}

    run(main())


def test_those_that_wait_return_once_it_is_stored(run: Run) -> None:
    async def main() -> None:
        kept = Kept()
        kept.add("a")
        first = asyncio.ensure_future(kept.journal.keep())
        await asyncio.sleep(0)
        kept.add("b")
        assert await kept.journal.keep()
        assert kept.shelf.tables()["waiting"] == ["a", "b"]
        assert first.done()

    run(main())


@pytest.mark.spec("RT-X2")
def test_while_the_store_is_down_it_keeps_and_merges_then(run: Run) -> None:
    async def main() -> None:
        kept = Kept()
        kept.add("a")
        await kept.journal.keep()
        kept.shelf.go_down()
        kept.send("a")
        assert not await kept.journal.keep()
        kept.add("b")
        assert not await kept.journal.keep(), "it is not tried each time"
        assert (kept.journal.down, len(kept.met)) == (True, 1)
        waiting = asyncio.ensure_future(kept.journal.stored())
        kept.ledger.finish(Answer("a", "done"))
        kept.ledger.told("a")
        await asyncio.sleep(5)
        assert not waiting.done()
        assert len(kept.met) > 3, "it is tried again and again"
        kept.shelf.come_up()
        await waiting
        assert not kept.journal.down
        tables = kept.shelf.tables()
        assert (tables["waiting"], tables["done"], tables["sending"]) == (["b"], ["a"], [])
        assert await kept.journal.keep()

    run(main())


@pytest.mark.spec("RT-X2")
def test_a_commit_that_was_cancelled_is_made_again(run: Run) -> None:
    async def main() -> None:
        kept = Kept()
        kept.add("a")
        first = asyncio.ensure_future(kept.journal.keep())
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert await kept.journal.keep()
        assert kept.shelf.tables()["waiting"] == ["a"]
        assert not kept.journal.down

    run(main())


def test_what_comes_back_to_wait_comes_to_the_head(run: Run) -> None:
    async def main() -> None:
        kept = Kept()
        kept.add("a", "b")
        kept.send("a")
        await kept.journal.keep()
        entry = kept.ledger.entry("a")
        assert entry is not None
        kept.ledger.move(entry, "sending", "waiting")
        await kept.journal.keep()
        assert kept.shelf.tables()["waiting"] == ["a", "b"]

    run(main())
