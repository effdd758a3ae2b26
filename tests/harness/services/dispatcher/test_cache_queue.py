"""The cache queue's own cases; its rules as a whole are in the machine beside it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from net_kit import Lan, play_on_hosts
from stuck_kit import StuckStore
from windtunnel.ports.store import Put, StoreError
from windtunnel.services.bounded_store import BoundedStore
from windtunnel.services.dispatcher.cache_queue import CacheQueue, End
from windtunnel.services.dispatcher.entry import new_entry
from windtunnel.services.dispatcher.letter import letter_about

BODY = {"workflow_id": "w", "webhookUrl": "http://backend:8066/callback", "client_task_id": "t"}


def play_queue(body: Callable[[CacheQueue, Any], Coroutine[Any, Any, None]], **limits: Any) -> None:
    async def main(lan: Lan) -> None:
        store = (await lan.host("dispatcher")).store
        given = {"queue_max": 10, "known_s": 60.0, "kept": 2, **limits}
        await body(CacheQueue(store, **given), store)

    play_on_hosts(main)


@pytest.mark.spec("RT-R3")
def test_an_id_is_accepted_once_until_it_is_forgotten() -> None:
    async def body(queue: CacheQueue, _: Any) -> None:
        assert await queue.accept(new_entry("t", BODY, 0)) == "accepted"
        await queue.complete("t", End("SUCCESS"), None)
        await asyncio.sleep(59.9)
        assert await queue.accept(new_entry("t", BODY, 0)) == "repeated"
        await asyncio.sleep(0.1)
        assert await queue.accept(new_entry("t", BODY, 0)) == "accepted"

    play_queue(body)


@pytest.mark.spec("RT-R3")
def test_a_task_that_has_not_ended_is_known_however_old_it_is() -> None:
    async def body(queue: CacheQueue, store: Any) -> None:
        entry = new_entry("t", BODY, 0)
        await queue.accept(entry)
        assert await queue.claim(entry, "i", "b", 1) is not None
        await asyncio.sleep(61)
        assert await queue.accept(new_entry("t", BODY, 0)) == "repeated"
        assert await store.count("md:cache:pending") == 0

    play_queue(body)


@pytest.mark.spec("RT-B2")
def test_it_is_full_at_its_limit_but_knows_what_it_has() -> None:
    async def body(queue: CacheQueue, _: Any) -> None:
        assert await queue.accept(new_entry("a", BODY, 0)) == "accepted"
        assert await queue.accept(new_entry("b", BODY, 0)) == "accepted"
        assert await queue.accept(new_entry("c", BODY, 0)) == "full"
        assert await queue.accept(new_entry("a", BODY, 0)) == "repeated"
        await queue.complete("a", End("SUCCESS"), None)
        assert await queue.accept(new_entry("c", BODY, 0)) == "accepted"
        assert await queue.accept(new_entry("a", BODY, 0)) == "repeated"

    play_queue(body, queue_max=2)


@pytest.mark.spec("RT-R2")
def test_the_newest_completed_are_kept() -> None:
    async def body(queue: CacheQueue, store: Any) -> None:
        for id_ in "abc":
            await queue.accept(new_entry(id_, BODY, 0))
            await queue.complete(id_, End("FAILED", error="e"), None)
        assert list(queue.tables.completed) == ["b", "c"]
        kept = [id_ for id_, _ in await store.first("md:cache:completed", 9)]
        assert kept == ["b", "c"]

    play_queue(body)


@pytest.mark.spec("F-R5")
def test_as_listed_a_task_is_claimed_twice() -> None:
    async def body(queue: CacheQueue, _: Any) -> None:
        entry = new_entry("t", BODY, 0)
        await queue.accept(entry)
        both = [queue.claim(entry, "i", "b", 1), queue.claim(entry, "j", "b", 1)]
        first, second = await asyncio.gather(*both)
        assert first is not None
        assert (second is not None) == (not claims)

    for claims in (True, False):
        play_queue(body, claim=claims)


@pytest.mark.spec("F-R6")
def test_a_letter_is_in_the_outbox_by_the_same_commit_as_its_tasks_end() -> None:
    commits: list[list[str]] = []

    async def main(lan: Lan) -> None:
        keys = ("md:cache:completed", "md:webhooks")
        lan.hosts.watch("dispatcher", keys, lambda moves: commits.append([m.key for m in moves]))
        store = (await lan.host("dispatcher")).store
        queue = CacheQueue(store, queue_max=9, known_s=9.0, kept=9)
        entry = new_entry("t", BODY, 0)
        await queue.accept(entry)
        letter = letter_about(entry, "SUCCESS", result="r")
        assert letter is not None
        await queue.complete("t", End("SUCCESS", "r"), letter)
        assert await store.get("md:webhooks", "t") == letter.text

    play_on_hosts(main)
    assert commits == [["md:cache:completed", "md:webhooks"]]


GOOD = new_entry("good", BODY, 0).value()


@pytest.mark.spec("RT-B4", "RT-X2")
@pytest.mark.parametrize(
    "text",
    [
        "{",
        "{}",
        "[]",
        "7",
        GOOD.replace('"workflow_id"', "workflow_id"),
        GOOD.replace('"retryCount":0', '"retryCount":"0"'),
        GOOD.replace('"payload":{', '"payload":[{').replace("},", "}],"),
    ],
)
@pytest.mark.parametrize("table", ["pending", "processing", "offered", "completed"])
def test_an_entry_that_cannot_be_read_is_set_aside(table: str, text: str) -> None:
    key = f"md:cache:{table}"

    async def body(queue: CacheQueue, store: Any) -> None:
        puts = [Put(key, "bad", text), Put("md:known", "bad", "md-bad")]
        await store.commit([*puts, Put("md:cache:pending", "good", GOOD)])
        await queue.load()
        assert list(queue.tables.pending) == ["good"]
        assert queue.place_of("bad") is None
        assert await store.get(key, "bad") is None
        assert json.loads(await store.get("md:broken", f"{key}/bad"))["text"] == text
        # A task that is lost by it may come again; one that was over is.
        accepted = await queue.accept(new_entry("bad", BODY, 0))
        assert accepted == ("repeated" if table == "completed" else "accepted")

    play_queue(body)


@pytest.mark.spec("RT-X2", "RT-R3")
def test_a_commit_that_was_made_and_not_answered_is_found() -> None:
    async def main(lan: Lan) -> None:
        stuck = StuckStore((await lan.host("dispatcher")).store)
        read: list[int] = []
        queue = CacheQueue(
            BoundedStore(stuck),
            queue_max=9,
            known_s=60.0,
            kept=9,
            read_anew=lambda: read.append(1),
        )
        stuck.deaf = True
        entry = new_entry("t", BODY, 0)
        with pytest.raises(StoreError):
            await queue.accept(entry)
        assert queue.place_of("t") is None
        stuck.deaf = False
        await asyncio.sleep(1)
        await queue.load()
        assert queue.place_of("t") == "pending"
        assert len(read) == 2
        # What was held on to from before is the same task all the same.
        run = await queue.claim(entry, "i", "b", 1)
        assert run is not None
        queue._behind = True
        entry = await queue.requeue(run, 1) or entry
        assert (entry.retries, entry.attempt) == (1, 1)
        queue._behind = True
        run = await queue.adopt(entry, "i", "b", 1)
        assert run is not None
        entry = await queue.requeue(run, 1) or entry
        queue._behind = True
        letter = letter_about(entry, "OFFERED")
        assert letter is not None
        assert await queue.offer([(entry, letter)]) == [(entry, letter)]

    play_on_hosts(main)


@pytest.mark.spec("RT-R3")
def test_a_run_that_is_no_longer_the_one_going_on_is_not_put_back() -> None:
    async def body(queue: CacheQueue, _: Any) -> None:
        entry = new_entry("t", BODY, 0)
        await queue.accept(entry)
        first = await queue.claim(entry, "i", "b", 1)
        assert first is not None
        again = await queue.requeue(first, 0)
        assert again is not None
        second = await queue.claim(again, "i", "b", 2)
        assert second is not None
        assert await queue.requeue(first, 0) is None
        assert await queue.claim(entry, "i", "b", 3) is None
        assert queue.place_of("t") == "processing"

    play_queue(body)
