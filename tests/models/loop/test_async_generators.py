"""Asynchronous generators: known from their first step, closed in that order."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import pytest

from windtunnel_models import run
from windtunnel_models.errors import BackgroundError

Run = Callable[[Coroutine[Any, Any, Any]], Any]


async def count(log: list[str], name: str) -> AsyncIterator[int]:
    try:
        for number in range(10):
            yield number
    finally:
        await asyncio.sleep(0)
        log.append(name)


def test_generators_alive_are_closed_the_oldest_first() -> None:
    log: list[str] = []
    kept: list[AsyncIterator[int]] = []

    async def main() -> None:
        kept.extend(count(log, str(index)) for index in range(50))
        for generator in reversed(kept):
            await anext(generator)

    run(main())
    assert log == [str(index) for index in reversed(range(50))]


def test_a_generator_dropped_half_way_is_closed_by_a_task(run_on_both: Run) -> None:
    log: list[str] = []

    async def main() -> list[str]:
        async for number in count(log, "dropped"):
            if number == 3:
                break
        await asyncio.sleep(0.01)
        return list(log)

    assert run_on_both(main()) == ["dropped"]


def test_a_generator_that_fails_when_closed_fails_the_run() -> None:
    kept: list[AsyncIterator[int]] = []

    async def doomed() -> AsyncIterator[int]:
        try:
            yield 1
        finally:
            raise KeyError("closing")

    async def main() -> None:
        kept.append(doomed())
        await anext(kept[0])

    with pytest.raises(BackgroundError, match=r"doomed.*KeyError\('closing'\)"):
        run(main())


def test_a_generator_started_after_the_end_is_warned_of() -> None:
    log: list[str] = []

    async def main() -> None:
        await asyncio.get_running_loop().shutdown_asyncgens()
        generator = count(log, "late")
        with pytest.warns(ResourceWarning, match="after"):
            await anext(generator)
        await generator.aclose()  # type: ignore[attr-defined]

    run(main())
