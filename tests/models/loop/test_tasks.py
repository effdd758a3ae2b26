"""The task: numbered by its loop, so that sets of tasks have an order."""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import pytest

from windtunnel_models import run
from windtunnel_models.loop.tasks import SimTask


async def nothing() -> None:
    """Stand for any coroutine."""


def test_names_count_per_loop() -> None:
    async def main() -> list[str]:
        tasks = [asyncio.create_task(nothing()) for _ in range(3)]
        tasks.append(asyncio.create_task(nothing(), name="given"))
        await asyncio.wait(tasks)
        return [task.get_name() for task in tasks]

    expected = ["Task-2", "Task-3", "Task-4", "given"]
    assert run(main()) == expected
    assert run(main()) == expected


def test_a_set_of_tasks_iterates_in_an_order_of_their_numbers() -> None:
    """Tasks made in another order lie elsewhere in memory; the order of the set stays."""

    async def main() -> list[int]:
        tasks = [asyncio.create_task(nothing()) for _ in range(200)]
        kept = set(tasks[::3])
        numbers = [task.number for task in kept]  # type: ignore[attr-defined]
        await asyncio.wait(tasks)
        return numbers

    first = run(main())
    waste = [object() for _ in range(1001)]
    assert run(main()) == first
    assert first == [n for n in set(first)]  # noqa: C416 - the order of a set of the same ints
    assert waste


def test_equality_is_identity() -> None:
    async def other() -> Any:
        return asyncio.current_task()

    one, two = run(other()), run(other())
    assert hash(one) == hash(two) == 1
    assert one != two


def test_a_users_factory_is_used_and_its_tasks_are_watched() -> None:
    class Mine(asyncio.Task[Any]):
        pass

    async def main() -> tuple[type, str]:
        loop = asyncio.get_running_loop()
        loop.set_task_factory(lambda loop, coro, **options: Mine(coro, loop=loop, **options))
        task = asyncio.create_task(asyncio.sleep(1), name="mine")
        assert loop.leftovers() == [task]  # type: ignore[attr-defined]
        await task
        loop.set_task_factory(None)
        assert type(asyncio.ensure_future(nothing())) is SimTask
        return type(task), task.get_name()

    assert run(main()) == (Mine, "mine")


def test_a_factory_is_callable_or_none() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        with pytest.raises(TypeError, match="factory"):
            loop.set_task_factory(7)  # type: ignore[arg-type]
        assert loop.get_task_factory() is None

    run(main())


@pytest.mark.skipif(sys.version_info < (3, 12), reason="eager tasks came with 3.12")
def test_eager_tasks_are_numbered_and_may_be_done_at_once() -> None:
    async def main() -> list[Any]:
        loop = asyncio.get_running_loop()
        factory = asyncio.eager_task_factory  # type: ignore[attr-defined,unused-ignore]
        loop.set_task_factory(factory)
        done = asyncio.create_task(nothing())
        waiting = asyncio.create_task(asyncio.sleep(1, "slept"))
        assert loop.get_task_factory() is factory
        numbers = [done.number, waiting.number]  # type: ignore[attr-defined]
        return [done.done(), waiting.done(), *numbers, await waiting]

    assert run(main()) == [True, False, 2, 3, "slept"]
