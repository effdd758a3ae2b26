"""The alarms: each goes off at the earliest instant that it was set to."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.services.clock import now_ns
from windtunnel.services.dispatcher.alarms import Alarm, Alarms
from windtunnel.units import SECOND
from windtunnel_models import run as run_simulated

Run = Callable[[Coroutine[Any, Any, None]], None]
SETS = st.lists(
    st.tuples(st.integers(0, 9), st.sampled_from([Alarm.EXPIRY, Alarm.STORE]), st.integers(1, 20)),
    max_size=8,
).map(sorted)


@given(SETS)
def test_for_all_settings_it_goes_off_at_the_earliest_that_is_to_come(
    sets: list[tuple[int, Alarm, int]],
) -> None:
    """(when it is set, which, how long from then), in thirds of a second; set in between them."""
    third = SECOND // 3
    rang: list[tuple[int, Alarm]] = []

    async def main() -> None:
        alarms = Alarms()

        def turn(alarm: Alarm) -> Any:
            async def ring() -> None:
                rang.append((now_ns() // third, alarm))

            return ring

        for alarm in (Alarm.EXPIRY, Alarm.STORE):
            alarms.add(alarm, turn(alarm))
        running = asyncio.ensure_future(alarms.run())
        for at, alarm, after in sets:
            await asyncio.sleep((at * third + third // 2 - now_ns()) / SECOND)
            alarms.set(alarm, (at + after) * third)
        await asyncio.sleep(30)
        running.cancel()

    run_simulated(main())
    expected = [
        (due, alarm)
        for alarm in (Alarm.EXPIRY, Alarm.STORE)
        for due in _due([(at, after) for at, which, after in sets if which is alarm])
    ]
    assert sorted(rang) == sorted(expected)


def _due(sets: list[tuple[int, int]]) -> list[int]:
    """When one alarm goes off that is set at these instants, to so long after."""
    gone_off: list[int] = []
    due: int | None = None
    for at, after in sets:
        if due is not None and due <= at:
            gone_off.append(due)
            due = None
        due = at + after if due is None else min(due, at + after)
    return gone_off if due is None else [*gone_off, due]


def test_a_turn_says_when_the_next_is(run_on_both: Run) -> None:
    rang: list[float] = []

    async def main() -> None:
        alarms = Alarms()
        began, three = now_ns(), asyncio.Event()

        async def ring() -> int | None:
            rang.append(now_ns())
            if len(rang) == 3:
                three.set()
                return None
            return now_ns() + SECOND // 100

        alarms.add(Alarm.STORE, ring)
        alarms.set(Alarm.STORE, None)
        alarms.set(Alarm.STORE, 0)
        running = asyncio.ensure_future(alarms.run())
        async with asyncio.timeout(30):
            await three.wait()
        assert rang[2] - began >= SECOND // 50
        running.cancel()

    run_on_both(main())


def test_the_alarm_of_a_turn_that_raised_stands_again(run: Run) -> None:
    async def main() -> None:
        alarms = Alarms()
        rang: list[int] = []

        async def ring() -> None:
            rang.append(now_ns())
            if len(rang) == 1:
                raise MemoryError

        alarms.add(Alarm.STORE, ring)
        alarms.set(Alarm.STORE, 0)
        with pytest.raises(MemoryError):
            await alarms.run()
        running = asyncio.ensure_future(alarms.run())
        await asyncio.sleep(1)
        assert rang == [0, 0]
        running.cancel()

    run(main())
