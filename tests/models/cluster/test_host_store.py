"""The store as a program sees it: each call a step, and none of a dead program."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from net_kit import Lan, never_ends, play_on_hosts
from windtunnel.ports.store import Drop, Has, Put, Store, StoreError, Trim

CALLS: list[Callable[[Store], Any]] = [
    lambda store: store.get("k", "a"),
    lambda store: store.first("k", 1),
    lambda store: store.last("k", 1),
    lambda store: store.count("k"),
    lambda store: store.commit([Put("k", "b", "2")]),
]


def test_it_is_a_store() -> None:
    async def body(lan: Lan) -> None:
        store = (await lan.host("a")).store
        assert isinstance(store, Store)
        assert await store.commit([Put("k", "a", "1"), Put("k", "b", "2")])
        assert not await store.commit([Drop("k", "a")], [Has("k", "a", "other")])
        assert await store.get("k", "a") == "1"
        assert await store.first("k", 1) == [("a", "1")]
        assert await store.last("k", 1) == [("b", "2")]
        assert await store.commit([Trim("k", 1)], [Has("k", "a", "1")])
        assert await store.count("k") == 1
        assert lan.now_ms == 0

    play_on_hosts(body)


@pytest.mark.parametrize("call", CALLS)
def test_each_call_is_one_step(call: Callable[[Store], Any]) -> None:
    async def body(lan: Lan) -> None:
        store = (await lan.host("a")).store
        steps: list[int] = []

        async def count() -> None:
            for step in range(10):
                steps.append(step)
                await asyncio.sleep(0)

        counting = asyncio.create_task(count())
        await asyncio.sleep(0)
        await call(store)
        assert steps == [0, 1]
        await counting

    play_on_hosts(body)


@pytest.mark.parametrize("call", CALLS)
def test_no_call_of_a_dead_program_ends_or_has_an_effect(call: Callable[[Store], Any]) -> None:
    async def body(lan: Lan) -> None:
        old = (await lan.host("a")).store
        asyncio.get_running_loop().call_soon(lan.hosts.crash, "a")
        assert await never_ends(call(old))  # begun before the crash
        assert await never_ends(call(old))
        lan.hosts.restart("a")
        await asyncio.sleep(0)
        assert await never_ends(call(old))
        assert await lan.lives["a"][-1].store.count("k") == 0

    play_on_hosts(body)


@pytest.mark.parametrize("call", CALLS)
def test_while_it_is_down_each_call_raises(call: Callable[[Store], Any]) -> None:
    async def body(lan: Lan) -> None:
        ports = await lan.host("a")
        async with lan.fault("store_down", target="a"):
            assert lan.affected == []
            with pytest.raises(StoreError, match="the store of a does not answer"):
                await call(ports.store)
            assert lan.affected == [""]
        await call(ports.store)

    play_on_hosts(body)


@given(lives=st.lists(st.integers(0, 12), min_size=1, max_size=6), writers=st.integers(1, 3))
def test_a_store_holds_what_its_programs_have_committed_until_they_crashed(
    lives: list[int], writers: int
) -> None:
    """Each life writes a growing number in two tables at once; a crash may come at any step."""

    async def body(lan: Lan) -> None:
        moved: list[Any] = []
        lan.hosts.watch("a", ["one", "two"], moved.append)

        async def program(ports: Any) -> None:
            async def write(who: str) -> None:
                store = ports.store
                try:
                    while True:
                        n = int(await store.get("one", who) or 0)
                        given = [Has("one", who, str(n))] if n else []
                        put = [Put(key, who, str(n + 1)) for key in ("one", "two")]
                        assert await store.commit(put, given)
                finally:
                    await store.commit([Put("one", who, "a dead hand")])

            async with asyncio.TaskGroup() as group:
                for number in range(writers):
                    group.create_task(write(f"w{number}"))

        lan.hosts.start("a", program)
        before: list[Any] = []
        for steps in lives:
            for _ in range(steps):
                await asyncio.sleep(0)
            store = lan.hosts.store("a")
            lan.hosts.crash("a")
            before = [store.first(key, 9) for key in ("one", "two")]
            assert before[0] == before[1]
            for _ in range(5):
                await asyncio.sleep(0)
            assert [store.first(key, 9) for key in ("one", "two")] == before
            lan.hosts.restart("a")
        assert len(moved) == len(before[0])

    play_on_hosts(body)


def test_who_watches_is_told_in_their_own_context_and_does_not_die_with_the_program() -> None:
    async def body(lan: Lan) -> None:
        log: list[str] = []

        def told(moved: Any) -> None:
            asyncio.get_running_loop().call_later(5, log.append, moved[0].id)

        lan.hosts.watch("a", ["k"], told)

        async def program(ports: Any) -> None:
            await ports.store.commit([Put("k", "x", "1")])
            await asyncio.sleep(100)

        lan.hosts.start("a", program)
        await asyncio.sleep(1)
        lan.hosts.crash("a")
        await asyncio.sleep(10)
        assert log == ["x"]

    play_on_hosts(body)
