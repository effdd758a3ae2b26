"""The bounded store: no call of it takes for ever."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from net_kit import Lan, play_on_hosts
from stuck_kit import StuckStore
from windtunnel.ports.store import Drop, Has, Put, Store, StoreError
from windtunnel.services.bounded_store import STORE_S, BoundedStore, StoreSilentError

pytestmark = pytest.mark.spec("RT-X2")

CALLS: dict[str, Callable[[Store], Coroutine[Any, Any, Any]]] = {
    "get": lambda store: store.get("k", "a"),
    "first": lambda store: store.first("k", 1),
    "last": lambda store: store.last("k", 1),
    "count": lambda store: store.count("k"),
    "commit": lambda store: store.commit([Put("k", "b", "2")]),
}


def play_store(body: Callable[[BoundedStore, StuckStore], Coroutine[Any, Any, None]]) -> None:
    async def main(lan: Lan) -> None:
        stuck = StuckStore((await lan.host("dispatcher")).store)
        await body(BoundedStore(stuck), stuck)

    play_on_hosts(main)


def test_it_is_the_store_it_is_made_of() -> None:
    async def body(store: BoundedStore, _: StuckStore) -> None:
        assert isinstance(store, Store)
        assert await store.commit([Put("k", "a", "1"), Put("k", "b", "2")])
        assert not await store.commit([Drop("k", "a")], [Has("k", "a", "7")])
        assert await store.get("k", "a") == "1"
        assert await store.first("k", 1) == [("a", "1")]
        assert await store.last("k", 1) == [("b", "2")]
        assert await store.count("k") == 2

    play_store(body)


@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_hangs_fails_at_its_bound(name: str) -> None:
    async def body(store: BoundedStore, stuck: StuckStore) -> None:
        loop = asyncio.get_running_loop()
        stuck.stuck = True
        begun = loop.time()
        with pytest.raises(StoreSilentError, match="within 5 s"):
            await CALLS[name](store)
        assert loop.time() == pytest.approx(begun + STORE_S)

    play_store(body)


def test_who_waits_in_line_does_not_wait_in_turn_and_it_is_tried_again() -> None:
    async def body(store: BoundedStore, stuck: StuckStore) -> None:
        loop = asyncio.get_running_loop()
        begun, lock = loop.time(), asyncio.Lock()
        stuck.stuck = True

        async def in_line() -> None:
            async with lock:
                await store.count("k")

        failed = await asyncio.gather(*(in_line() for _ in range(20)), return_exceptions=True)
        assert [type(error) for error in failed] == [StoreSilentError] + [StoreError] * 19
        assert stuck.calls == 1
        assert loop.time() == pytest.approx(begun + STORE_S)
        stuck.stuck = False
        with pytest.raises(StoreError, match="left alone"):
            await store.commit([Put("k", "a", "1")])
        await asyncio.sleep(0.5)
        assert await store.count("k") == 0

    play_store(body)


def test_a_failure_of_the_store_is_told_as_it_is() -> None:
    class Down:
        async def count(self, key: str) -> int:
            raise StoreError(f"no {key}")

    async def body(_: BoundedStore, __: StuckStore) -> None:
        down: Any = Down()
        with pytest.raises(StoreError, match="no k") as raised:
            await BoundedStore(down).count("k")
        assert type(raised.value) is StoreError

    play_store(body)
