"""Survival: a service runs again after an error, and ends when cancelled or by the world's."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from windtunnel.errors import WorldError
from windtunnel.services.survival import survive

Run = Callable[[Coroutine[Any, Any, None]], None]
pytestmark = pytest.mark.spec("RT-X2")


async def fails(error: Exception) -> None:
    await asyncio.sleep(0)
    raise error


async def fails_in_a_group() -> None:
    """Fail while the group is left: there 3.11 and 3.12 go on counting a cancellation."""
    async with asyncio.TaskGroup() as group:
        group.create_task(fails(ValueError("in a group")))


def test_a_failure_in_a_group_is_no_cancellation(run: Run) -> None:
    met: list[BaseException] = []

    async def main() -> None:
        task = asyncio.ensure_future(survive(fails_in_a_group, met.append))
        await asyncio.sleep(3.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(main())
    assert [type(error) for error in met] == [ExceptionGroup] * 4


def test_a_cancellation_that_a_group_turns_into_a_failure_is_the_end(run: Run) -> None:
    async def stubborn() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(cleans_up())

    async def cleans_up() -> None:
        try:
            await asyncio.sleep(1000)
        finally:
            raise ValueError("while cleaning up")

    async def main() -> None:
        task = asyncio.ensure_future(survive(stubborn, lambda _: None))
        await asyncio.sleep(1)
        task.cancel()
        with pytest.raises(ExceptionGroup):
            await task

    run(main())


def test_a_service_that_swallows_its_cancellation_ends_all_the_same(run: Run) -> None:
    async def deaf() -> None:
        try:
            await asyncio.sleep(1000)
        except asyncio.CancelledError:
            return

    async def main() -> None:
        task = asyncio.ensure_future(survive(deaf, lambda _: None))
        await asyncio.sleep(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    run(main())


def test_the_world_s_error_passes_out_of_a_group(run: Run) -> None:
    async def main() -> None:
        met: list[BaseException] = []

        async def work() -> None:
            async with asyncio.TaskGroup() as group:
                group.create_task(fails(WorldError("broken")))

        with pytest.raises(WorldError, match="broken"):
            await survive(work, met.append)
        assert met == []

    run(main())
