"""The cache queue's own cases; its rules as a whole are in the machine beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from net_kit import Lan, play_on_hosts
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
