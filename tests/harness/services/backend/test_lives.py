"""Lives: a life that did not end in order was a crash."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from care_kit import Cluster
from windtunnel.ports.store import Put, StoreError
from windtunnel.services.backend.lives import LIVES, Lives
from windtunnel.services.clock import now_ns
from windtunnel_models import run as run_simulated

HOUR_S = 3600


@pytest.mark.spec("RT-X3")
@given(st.lists(st.tuples(st.integers(1, 5000), st.booleans()), max_size=8))
def test_for_all_lives_the_crashes_of_the_last_hour_are_counted(
    lives: list[tuple[int, bool]],
) -> None:
    """Each life lasts some seconds and ends in order or not."""

    async def main() -> None:
        cluster = Cluster()
        ends: list[tuple[float, bool]] = []
        for seconds, in_order in [*lives, (0, True)]:
            life = Lives(cluster.handle)
            await life.began()
            at = asyncio.get_running_loop().time()
            young = sum(not orderly and at - end < HOUR_S for end, orderly in ends)
            assert life.crashes(now_ns()) == young
            await asyncio.sleep(seconds)
            if in_order:
                await life.ended()
            ends.append((asyncio.get_running_loop().time(), in_order))

    run_simulated(main())


def test_a_crash_is_forgotten_after_an_hour() -> None:
    async def main() -> None:
        store = Cluster().handle
        await Lives(store).began()
        life = Lives(store)
        await life.began()
        assert life.crashes(now_ns()) == 1
        await asyncio.sleep(HOUR_S)
        assert life.crashes(now_ns()) == 0

    run_simulated(main())


def test_a_store_that_is_down_is_told() -> None:
    async def main() -> None:
        cluster = Cluster()
        cluster.store_down(down=True)
        with pytest.raises(StoreError):
            await Lives(cluster.handle).began()

    run_simulated(main())


@pytest.mark.spec("RT-X2")
@pytest.mark.parametrize("text", ["{", "[]", "3", '{"crashes": 7}', '{"crashes": ["x"]}'])
def test_what_cannot_be_read_says_nothing_of_crashes(text: str) -> None:
    async def main() -> None:
        store = Cluster().handle
        await store.commit([Put(LIVES, LIVES, text)])
        life = Lives(store)
        await life.began()
        assert life.crashes(now_ns()) == 0

    run_simulated(main())
