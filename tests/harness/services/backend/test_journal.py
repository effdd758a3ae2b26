"""Journal: one commit for all of an instant, each task's whole move, a store that fails."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

import pytest

from path_kit import Shelf
from windtunnel.ports.store import Change, Condition, Drop, Store, StoreError
from windtunnel.services.backend.answer import Answer
from windtunnel.services.backend.ledger import Ledger
from windtunnel.services.bounded_store import BoundedStore
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


class Slow:
    """A store that makes a commit at once and answers `seconds` later, or never."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.seconds: float | None = 0.0
        self.changes: Sequence[Change] = ()
        """Of the last commit."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    async def commit(self, changes: Sequence[Change], given: Sequence[Condition] = ()) -> bool:
        self.changes = changes
        made = await self._store.commit(changes, given)
        if self.seconds is None:
            await asyncio.get_running_loop().create_future()
        await asyncio.sleep(self.seconds or 0.0)
        return made


class KeptSlowly(Kept):
    """A ledger over a store whose answers may be late."""

    def __init__(self) -> None:
        self.shelf = Shelf()
        self.met = []
        self.slow = Slow(self.shelf.handle)
        self.ledger = Ledger(BoundedStore(self.slow), self.met.append, routing=True)
        self.journal = self.ledger.journal
        self.running = asyncio.ensure_future(self.journal.run())

    def places(self, id_: str) -> list[str]:
        return [place for place, ids in self.shelf.tables().items() if id_ in ids]


@pytest.mark.spec("RT-R3")
@pytest.mark.parametrize("first", [True, False])
def test_a_commit_that_was_made_and_cancelled_leaves_a_task_in_one_place(
    run: Run, first: bool
) -> None:
    async def main() -> None:
        kept = KeptSlowly()
        kept.add("a")
        if not first:
            await kept.journal.keep()
            kept.send("a")
        kept.slow.seconds = 1.0
        keeping = asyncio.ensure_future(kept.journal.keep())
        await asyncio.sleep(0.5)
        keeping.cancel()
        await asyncio.gather(keeping, return_exceptions=True)
        kept.slow.seconds = 0.0
        if first:
            kept.send("a")
        entry = kept.ledger.entry("a")
        assert entry is not None
        kept.ledger.move(entry, "sending", "inside")
        assert await kept.journal.keep()
        assert kept.places("a") == ["inside"]
        kept.ledger.finish(Answer("a", "done"))
        assert await kept.journal.keep()
        assert [(move.key, move.there) for move in kept.shelf.commits[-1]] == [
            ("inside", False),
            ("done", True),
        ]
        dropped = [change.key for change in kept.slow.changes if isinstance(change, Drop)]
        assert dropped == ["inside"], "there is no doubt any more"

    run(main())


@pytest.mark.spec("RT-X2", "RT-R3")
def test_a_store_that_hangs_is_down_and_what_it_did_is_not_done_twice(run: Run) -> None:
    async def main() -> None:
        kept = KeptSlowly()
        kept.add("a")
        kept.slow.seconds = None
        waiting = [asyncio.ensure_future(kept.journal.keep()) for _ in range(3)]
        await asyncio.sleep(5.5)
        assert all(one.done() and not one.result() for one in waiting)
        assert (kept.journal.down, len(kept.met)) == (True, 1)
        kept.send("a")
        kept.slow.seconds = 0.0
        await asyncio.sleep(7)
        assert not kept.journal.down
        assert kept.places("a") == ["sending"]

    run(main())


@pytest.mark.spec("RT-X2")
def test_an_entry_that_has_no_text_holds_up_no_other(run: Run) -> None:
    async def main() -> None:
        kept = Kept()
        kept.add("a", "b")
        await kept.journal.keep()
        kept.ledger.finish(Answer("a", "done", math.nan))
        kept.ledger.finish(Answer("b", "done", 1))
        assert await kept.journal.keep()
        tables = kept.shelf.tables()
        assert (tables["waiting"], tables["done"]) == (["a"], ["b"])
        assert await kept.journal.keep()

    run(main())
