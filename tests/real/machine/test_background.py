"""The background of a real loop: what nobody looked at is told, with its message."""

from __future__ import annotations

import asyncio

from windtunnel_real.machine.background import Background


async def failing() -> None:
    raise ValueError("lost")


def test_a_task_that_failed_unseen_is_told() -> None:
    background = Background()

    async def main() -> None:
        background.watch(asyncio.get_running_loop())
        task = asyncio.get_running_loop().create_task(failing())
        await asyncio.wait({task})
        del task

    asyncio.run(main())
    assert "ValueError: lost" in background.failures()


def test_one_that_was_looked_at_is_not() -> None:
    background = Background()

    async def main() -> None:
        background.watch(asyncio.get_running_loop())
        (found,) = await asyncio.gather(failing(), return_exceptions=True)
        assert isinstance(found, ValueError)

    asyncio.run(main())
    assert not background.failures()


def test_a_callback_that_raises_is_told() -> None:
    background = Background()

    async def main() -> None:
        loop = asyncio.get_running_loop()
        background.watch(loop)
        loop.call_soon(lambda: 1 / 0)
        await asyncio.sleep(0)
        await asyncio.sleep(0)

    asyncio.run(main())
    assert "ZeroDivisionError" in background.failures()
