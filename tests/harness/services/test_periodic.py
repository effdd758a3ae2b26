"""Periodic: a turn every so often, under a name of its own, whatever the turns do."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.acting import acting
from windtunnel.errors import WorldError
from windtunnel.services.periodic import TURN_S, Periodic
from windtunnel_models import run as run_simulated

Run = Callable[[Coroutine[Any, Any, None]], None]


@given(st.lists(st.tuples(st.integers(0, 70), st.booleans()), min_size=1, max_size=12))
def test_for_all_turns_the_next_begins_a_period_later_or_when_the_last_is_over(
    turns: list[tuple[int, bool]],
) -> None:
    """Lengths in tenths of the period of 3 s; some turns raise."""
    begun: list[float] = []
    all_begun = asyncio.Event()

    async def turn() -> None:
        length, fails = turns[len(begun)]
        begun.append(asyncio.get_running_loop().time())
        if len(begun) == len(turns):
            all_begun.set()
        await asyncio.sleep(length * 0.3)
        if fails:
            raise ValueError("this turn fails")

    async def main() -> None:
        loop = Periodic("probe", turn, 3.0)
        loop.start()
        await all_begun.wait()
        await loop.stop()

    run_simulated(main())
    expected = 0.0
    for at, (length, _) in zip(begun, turns, strict=True):
        assert at == pytest.approx(expected)
        expected += max(3.0, length * 0.3)


def test_each_turn_is_an_operation_of_its_own(run: Run) -> None:
    seen: list[tuple[str, str, str]] = []

    async def turn() -> None:
        who = acting.get()
        assert who is not None
        seen.append((who.op, who.class_, who.actor))

    async def main() -> None:
        loop = Periodic("login_guard", turn, 5.0)
        loop.start()
        await asyncio.sleep(7)
        await loop.once()
        await asyncio.sleep(4)
        await loop.stop()

    run(main())
    assert seen == [(f"login_guard.{n}", "probe", "login_guard") for n in range(4)]


def test_a_turn_that_hangs_is_given_up_and_the_next_comes(
    run: Run, caplog: pytest.LogCaptureFixture
) -> None:
    begun: list[float] = []

    async def turn() -> None:
        begun.append(asyncio.get_running_loop().time())
        await asyncio.Event().wait()

    async def main() -> None:
        loop = Periodic("streamer", turn, 1.0)
        loop.start()
        await asyncio.sleep(TURN_S * 2.5)
        await loop.stop()

    run(main())
    assert begun == [0.0, TURN_S, 2 * TURN_S]
    assert "a turn of streamer failed" in caplog.text


def test_stop_ends_a_turn_and_a_second_start_changes_nothing(run: Run) -> None:
    begun: list[int] = []

    async def turn() -> None:
        begun.append(1)
        await asyncio.sleep(100)

    async def main() -> None:
        loop = Periodic("watchdog", turn, 1.0)
        await loop.stop()
        loop.start()
        loop.start()
        await asyncio.sleep(50)
        assert loop.running()
        await loop.stop()
        assert not loop.running()
        assert asyncio.get_running_loop().time() == 50
        await asyncio.sleep(100)
        assert len(begun) == 1
        loop.start()
        await asyncio.sleep(1)
        assert len(begun) == 2
        await loop.stop()

    run(main())


def test_a_turn_that_ignores_its_end_hangs_nobody(
    run: Run, caplog: pytest.LogCaptureFixture
) -> None:
    begun: list[int] = []

    async def turn() -> None:
        begun.append(1)
        for _ in range(10):
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(1)

    async def main() -> None:
        loop = Periodic("watchdog", turn, 1.0)
        loop.start()
        await asyncio.sleep(0.5)
        await loop.stop()
        assert asyncio.get_running_loop().time() == 5.5
        await asyncio.sleep(20)

    run(main())
    assert begun == [1]  # and no other turn comes after it
    assert "ignores its cancellation" in caplog.text


@pytest.mark.spec("UI-C4", "UI-W1")
def test_a_turn_that_something_else_cancels_is_survived(
    run: Run, caplog: pytest.LogCaptureFixture
) -> None:
    begun: list[float] = []

    async def turn() -> None:
        begun.append(asyncio.get_running_loop().time())
        gone = asyncio.get_running_loop().create_future()
        gone.cancel()
        await gone

    async def main() -> None:
        loop = Periodic("watchdog", turn, 1.0)
        loop.start()
        await asyncio.sleep(2.5)
        assert loop.running()
        await loop.stop()
        assert not loop.running()

    run(main())
    assert begun == [0.0, 1.0, 2.0]
    assert "a turn of watchdog failed" in caplog.text


def test_a_world_that_cannot_go_on_is_not_survived(run: Run) -> None:
    async def turn() -> None:
        raise WorldError("no threads here")

    async def main() -> None:
        loop = Periodic("streamer", turn, 1.0)
        loop.start()
        await asyncio.sleep(1)
        assert not loop.running()
        assert loop._task is not None
        with pytest.raises(WorldError):
            await loop._task

    run(main())


def test_no_period_is_an_error() -> None:
    with pytest.raises(ValueError, match="period of streamer"):
        Periodic("streamer", asyncio.Event().wait, 0)


def test_a_turn_in_which_a_group_fails_is_not_the_last(run: Run) -> None:
    """3.11 and 3.12 go on counting a cancellation after it."""
    begun: list[float] = []

    async def fails() -> None:
        raise ValueError("in a group")

    async def turn() -> None:
        begun.append(asyncio.get_running_loop().time())
        async with asyncio.TaskGroup() as group:
            group.create_task(fails())

    async def main() -> None:
        loop = Periodic("streamer", turn, 1.0)
        loop.start()
        await asyncio.sleep(2.5)
        await loop.stop()
        assert not loop.running()

    run(main())
    assert begun == [0, 1, 2]


def test_a_world_s_error_in_a_group_is_not_survived(run: Run) -> None:
    async def turn() -> None:
        raise ExceptionGroup("in a group", [ValueError(), WorldError("no threads here")])

    async def main() -> None:
        loop = Periodic("streamer", turn, 1.0)
        loop.start()
        await asyncio.sleep(1)
        assert loop._task is not None
        with pytest.raises(WorldError, match="no threads"):
            await loop._task

    run(main())
