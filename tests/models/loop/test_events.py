"""Events: SimPy's own, awaited by asyncio code."""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from typing import Any

import pytest
import simpy

from windtunnel_models import SimEnvironment, run
from windtunnel_models.errors import BackgroundError

Process = Generator[simpy.Event, Any, Any]


def environment() -> SimEnvironment:
    return asyncio.get_running_loop().env  # type: ignore[attr-defined,no-any-return]


def test_each_kind_of_event_is_awaited() -> None:
    async def main() -> list[Any]:
        env = environment()

        def process() -> Process:
            yield env.timeout(3)
            return "returned"

        event = env.event()
        asyncio.get_running_loop().call_later(2e-9, event.succeed, "triggered")
        results: list[Any] = [await env.timeout(1, "waited"), await event]
        results.append(await env.process(process()))
        both = await env.all_of([env.timeout(1, "a"), env.timeout(2, "b")])
        results.append(list(both.values()))
        results.append(list((await env.any_of([env.timeout(1, "c"), env.timeout(9)])).values()))
        results.append(list((await (env.timeout(1, "d") & env.timeout(1, "e"))).values()))
        results.append(list((await (env.timeout(1, "f") | env.timeout(5))).values()))
        nested = (env.timeout(1) & env.timeout(2)) | env.timeout(5)
        await nested
        return [*results, env.now]

    assert run(main()) == [
        "waited",
        "triggered",
        "returned",
        ["a", "b"],
        ["c"],
        ["d", "e"],
        ["f"],
        12,
    ]


def test_an_event_long_past_gives_its_value_at_once() -> None:
    async def main() -> tuple[str, int]:
        env = environment()
        timeout = env.timeout(1, "value")
        await env.timeout(5)
        return await timeout, env.now

    assert run(main()) == ("value", 5)


def test_a_failing_process_raises_where_it_is_awaited() -> None:
    async def main() -> str:
        env = environment()

        def process() -> Process:
            yield env.timeout(1)
            raise KeyError("lost")

        with pytest.raises(KeyError, match="lost"):
            await env.process(process())
        return "went on"

    assert run(main()) == "went on"


def test_a_failing_process_that_nobody_awaits_fails_the_run() -> None:
    async def main() -> None:
        env = environment()

        def doomed() -> Process:
            yield env.timeout(1)
            raise KeyError("lost")

        env.process(doomed())
        await asyncio.sleep(1)

    with pytest.raises(BackgroundError, match="'doomed'") as raised:
        run(main())
    assert isinstance(raised.value.__cause__, KeyError)


def test_cancelling_who_awaits_leaves_the_process_alone() -> None:
    async def main() -> tuple[bool, str]:
        env = environment()

        def process() -> Process:
            yield env.timeout(2_000_000_000)
            return "finished"

        running = env.process(process())

        async def wait() -> None:
            await running

        with pytest.raises(TimeoutError):
            await asyncio.wait_for(wait(), 1)
        return running.is_alive, await running

    assert run(main()) == (True, "finished")


def test_a_process_that_fails_after_who_awaited_gave_up_fails_the_run() -> None:
    async def main() -> None:
        env = environment()

        def doomed() -> Process:
            yield env.timeout(2_000_000_000)
            raise KeyError("lost")

        running = env.process(doomed())

        async def wait() -> None:
            await running

        with pytest.raises(TimeoutError):
            await asyncio.wait_for(wait(), 1)
        await asyncio.sleep(5)

    with pytest.raises(BackgroundError, match="doomed"):
        run(main())


def test_an_interrupt_reaches_a_process_that_is_awaited() -> None:
    async def main() -> str:
        env = environment()

        def process() -> Process:
            try:
                yield env.timeout(100)
            except simpy.Interrupt as interrupt:
                return f"interrupted by {interrupt.cause} at {env.now}"

        running = env.process(process())
        env.timeout(5).callbacks.append(lambda _: running.interrupt("boss"))
        return await running  # type: ignore[no-any-return]

    assert run(main()) == "interrupted by boss at 5"


def test_several_tasks_await_one_process() -> None:
    async def main() -> list[str]:
        env = environment()

        def process() -> Process:
            yield env.timeout(1)
            return "shared"

        running = env.process(process())

        async def wait() -> str:
            return await running  # type: ignore[no-any-return]

        return list(await asyncio.gather(wait(), wait(), wait()))

    assert run(main()) == ["shared"] * 3
