"""The cache queue against a plain model: crashes, failures and cancellations at any step."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from windtunnel.ports.store import Store, StoreError
from windtunnel.services.dispatcher.cache_queue import CacheQueue, End
from windtunnel.services.dispatcher.entry import Entry, new_entry, read_assignment, read_entry
from windtunnel.services.dispatcher.letter import WEBHOOKS, letter_about
from windtunnel_models.access import AccessLog
from windtunnel_models.cluster.host_store import HostStore
from windtunnel_models.cluster.lives import Life
from windtunnel_models.cluster.store import SimStore
from windtunnel_models.loop.sim_loop import SimLoop

pytestmark = pytest.mark.spec("RT-R2", "RT-R3", "RT-B4")

QUEUE_MAX, KEPT = 4, 3
TASKS = st.sampled_from([f"t.{number}" for number in range(7)])
STEPS = st.integers(0, 3)


@dataclass
class Model:
    """Where each task is: task → (retries, attempt), in the order of the tables."""

    pending: dict[str, tuple[int, int]] = field(default_factory=dict)
    processing: dict[str, tuple[int, int]] = field(default_factory=dict)
    offered: dict[str, tuple[int, int]] = field(default_factory=dict)
    completed: list[str] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    outbox: dict[str, str] = field(default_factory=dict)

    def table(self, task: str) -> dict[str, tuple[int, int]] | None:
        tables = (self.pending, self.processing, self.offered)
        return next((table for table in tables if task in table), None)

    def accept(self, task: str) -> str:
        if task in self.known:
            return "repeated"
        if len(self.pending) >= QUEUE_MAX:
            return "full"
        self.known.add(task)
        self.pending[task] = (0, 0)
        return "accepted"

    def claim(self, task: str) -> bool:
        if task not in self.pending:
            return False
        retries, attempt = self.pending.pop(task)
        self.processing[task] = (retries, attempt + 1)
        return True

    def requeue(self, task: str, more: int) -> bool:
        if task not in self.processing:
            return False
        retries, attempt = self.processing.pop(task)
        self.pending = {task: (retries + more, attempt), **self.pending}
        return True

    def complete(self, task: str, only: str | None) -> bool:
        table = self.table(task)
        if table is None or (only is not None and table is not getattr(self, only)):
            return False
        del table[task]
        if task in self.completed:
            return self._told(task, "SUCCESS")  # replaced in place
        self.completed = [*self.completed, task][-KEPT:]
        return self._told(task, "SUCCESS")

    def offer(self, tasks: list[str]) -> list[str]:
        gone = [task for task in dict.fromkeys(tasks) if task in self.pending]
        for task in gone:
            self.offered[task] = self.pending.pop(task)
            self._told(task, "OFFERED")
        return gone

    def take_back(self, task: str) -> bool:
        if task not in self.offered:
            return False
        self.pending[task] = self.offered.pop(task)
        return True

    def give_away(self, task: str) -> bool:
        if task not in self.offered:
            return False
        del self.offered[task]
        self.known.discard(task)
        return True

    def _told(self, task: str, status: str) -> bool:
        self.outbox[task] = status
        return True


class TardyStore:
    """A store whose answers take another step, as a real one's may: a crash may come before."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> Any:
        async def call(*args: Any) -> Any:
            answer = await getattr(self._store, name)(*args)
            await asyncio.sleep(0)
            return answer

        return call


class QueueMachine(RuleBasedStateMachine):
    """Each rule is one move, which may be cut short; what the store holds is what the model says.

    A move that was cut short has happened as a whole or not at all.
    """

    def __init__(self) -> None:
        super().__init__()
        self.loop = SimLoop()
        self.store = SimStore(self.loop.env, AccessLog(), "dispatcher")
        self.model = Model()
        self.start()

    def start(self) -> None:
        self.life = Life(self.loop, "dispatcher")
        self.handle: Any = TardyStore(HostStore(self.store, self.life))
        self.queue = CacheQueue(self.handle, queue_max=QUEUE_MAX, known_s=86400.0, kept=KEPT)
        self.loop.run_until_complete(self.queue.load())

    def teardown(self) -> None:
        self.life.end()
        self.loop.close()

    def do(
        self, move: Callable[[], Coroutine[Any, Any, Any]], model: Callable[[Model], Any]
    ) -> None:
        """Make a move to its end; the model answers the same."""
        assert self.loop.run_until_complete(move()) == model(self.model)

    def cut(
        self,
        move: Callable[[], Coroutine[Any, Any, Any]],
        model: Callable[[Model], Any],
        steps: int,
        *,
        crash: bool,
    ) -> None:
        """Begin a move, and kill or cancel it after so many steps."""

        async def main() -> None:
            task = self.life.create_task(move(), "move")
            for _ in range(steps):
                await asyncio.sleep(0)
            if crash:
                self.life.end()
            elif task.cancel():
                await asyncio.wait({task})

        self.loop.run_until_complete(main())
        after = deepcopy(self.model)
        model(after)
        if self.stored() != self.said(self.model):
            self.model = after
        if crash:
            self.start()
        else:
            self.loop.run_until_complete(self.queue.load())

    # ------------------------------------------------------------------ moves

    def accepting(self, task: str) -> tuple[Any, Any]:
        body = {"workflow_id": "w", "webhookUrl": "http://backend:8066/callback", "apiKey": "k"}
        entry = new_entry(task, {**body, "client_task_id": task}, 5)
        return lambda: self.queue.accept(entry), lambda model: model.accept(task)

    def claiming(self, task: str) -> tuple[Any, Any]:
        async def move() -> bool:
            entry = self.queue.tables.pending.get(task)
            return entry is not None and await self.queue.claim(entry, "i", "b", 9) is not None

        return move, lambda model: model.claim(task)

    def requeueing(self, task: str, more: int) -> tuple[Any, Any]:
        async def move() -> bool:
            was = self.queue.tables.processing.get(task)
            if was is None:
                return False
            return await self.queue.requeue(was, was.entry.retries + more) is not None

        return move, lambda model: model.requeue(task, more)

    def completing(self, task: str, only: Any) -> tuple[Any, Any]:
        async def move() -> bool:
            entry = self.queue.entry_of(task)
            letter = None if entry is None else letter_about(entry, "SUCCESS", result="r")
            end = End("SUCCESS", result="r")
            return await self.queue.complete(task, end, letter, only) is not None

        return move, lambda model: model.complete(task, only)

    def offering(self, tasks: list[str]) -> tuple[Any, Any]:
        async def move() -> list[str]:
            known = self.queue.tables.pending
            entries = [known[task] for task in dict.fromkeys(tasks) if task in known]
            letters = [letter_about(entry, "OFFERED") for entry in entries]
            offers = [(e, letter) for e, letter in zip(entries, letters, strict=True) if letter]
            return [entry.id for entry, _ in await self.queue.offer(offers)]

        return move, lambda model: model.offer(tasks)

    MOVES = st.one_of(
        st.tuples(st.just("accepting"), TASKS),
        st.tuples(st.just("accepting"), TASKS),
        st.tuples(st.just("claiming"), TASKS),
        st.tuples(st.just("requeueing"), TASKS, st.integers(0, 1)),
        st.tuples(st.just("completing"), TASKS, st.sampled_from([None, "pending", "processing"])),
        st.tuples(st.just("offering"), st.lists(TASKS, max_size=3)),
        st.tuples(st.just("taking_back"), TASKS),
        st.tuples(st.just("giving_away"), TASKS),
    )

    def taking_back(self, task: str) -> tuple[Any, Any]:
        async def move() -> bool:
            return await self.queue.take_back(task) is not None

        return move, lambda model: model.take_back(task)

    def giving_away(self, task: str) -> tuple[Any, Any]:
        return lambda: self.queue.give_away(task), lambda model: model.give_away(task)

    # ------------------------------------------------------------------ rules

    @rule(moves=st.lists(MOVES, min_size=1, max_size=6))
    def move(self, moves: list[tuple[Any, ...]]) -> None:
        for name, *args in moves:
            self.do(*getattr(self, name)(*args))

    @rule(move=MOVES, steps=STEPS, crash=st.booleans())
    def move_cut_short(self, move: tuple[Any, ...], steps: int, crash: bool) -> None:
        name, *args = move
        begin, model = getattr(self, name)(*args)
        self.cut(begin, model, steps, crash=crash)

    @rule(move=MOVES)
    def move_without_store(self, move: tuple[Any, ...]) -> None:
        name, *args = move
        begin, _ = getattr(self, name)(*args)
        self.store.outages["f"] = lambda op: None
        with suppress(StoreError):
            self.loop.run_until_complete(begin())
        self.store.outages.clear()

    @rule(moves=st.lists(MOVES, min_size=2, max_size=4))
    def moves_at_once(self, moves: list[tuple[Any, ...]]) -> None:
        """In some order; what one goes by another may have moved. None is lost, none is twice."""

        async def main() -> None:
            await asyncio.gather(*(getattr(self, name)(*args)[0]() for name, *args in moves))

        before = self.model
        self.loop.run_until_complete(main())
        stored = self.stored()
        unfinished = [row[0] for place in PLACES for row in stored[place]]
        assert len(unfinished) == len(set(unfinished))
        left = {*before.pending, *before.processing, *before.offered} - set(unfinished)
        # Ended, or given away: that is to be forgotten then.
        assert all(task in stored["outbox"] or task not in stored["known"] for task in left)
        self.model = Model(
            **{place: {row[0]: (row[1], row[2]) for row in stored[place]} for place in PLACES},
            completed=stored["completed"],
            known=set(stored["known"]),
            outbox=stored["outbox"],
        )

    @rule()
    def restart(self) -> None:
        self.life.end()
        self.start()

    # ------------------------------------------------------------------ what holds

    @staticmethod
    def said(model: Model) -> dict[str, Any]:
        """What the store would hold."""
        tables = {
            place: [(task, *counts) for task, counts in getattr(model, place).items()]
            for place in PLACES
        }
        told = {"known": sorted(model.known), "completed": model.completed}
        return {**tables, **told, "outbox": model.outbox}

    def stored(self) -> dict[str, Any]:
        def rows(key: str) -> list[tuple[str, int, int]]:
            found = []
            for id_, text in self.store.first(f"md:cache:{key}", 99):
                read = read_assignment if key == "processing" else read_entry
                was: Any = read(id_, text)
                entry: Entry = getattr(was, "entry", was)
                assert "apiKey" not in entry.payload
                found.append((id_, entry.retries, entry.attempt))
            return found

        return {
            **{place: rows(place) for place in PLACES},
            "known": sorted(id_ for id_, _ in self.store.first("md:known", 99)),
            "completed": [id_ for id_, _ in self.store.first("md:cache:completed", 99)],
            "outbox": {
                id_: "OFFERED" if "OFFERED" in text else "SUCCESS"
                for id_, text in self.store.first(WEBHOOKS, 99)
            },
        }

    @invariant()
    def store_is_as_the_model_says(self) -> None:
        assert self.stored() == self.said(self.model)

    @invariant()
    def memory_is_as_the_store(self) -> None:
        tables, stored = self.queue.tables, self.stored()
        shown = {
            "pending": [(e.id, e.retries, e.attempt) for e in tables.pending.values()],
            "processing": [
                (a.entry.id, a.entry.retries, a.entry.attempt) for a in tables.processing.values()
            ],
            "offered": [(e.id, e.retries, e.attempt) for e in tables.offered.values()],
        }
        assert shown == {place: stored[place] for place in PLACES}
        assert list(tables.completed) == stored["completed"]

    @invariant()
    def the_queue_is_bounded(self) -> None:
        """But for what goes back: tasks that were processing or offered."""
        model = self.model
        assert len(model.pending) <= QUEUE_MAX + 7


PLACES = ("pending", "processing", "offered")

TestQueue = QueueMachine.TestCase
TestQueue.settings = settings(max_examples=60, stateful_step_count=25, deadline=None)
