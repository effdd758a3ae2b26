"""A job: who waits for it is told once, from whichever thread, and never after the loop."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest

from windtunnel_real.errors import DeadlineError
from windtunnel_real.x11.jobs import Job


def make(loop: asyncio.AbstractEventLoop, seconds: float = 3600.0) -> Job:
    return Job(lambda _: None, "do it", time.monotonic() + seconds, loop, loop.create_future())


def in_thread(work: Any) -> Any:
    async def body() -> Any:
        job = make(asyncio.get_running_loop())
        await asyncio.to_thread(work, job)
        return await job.future

    return asyncio.run(body())


def test_its_value_or_error_comes_from_another_thread() -> None:
    assert in_thread(lambda job: job.succeed(7)) == 7
    with pytest.raises(LookupError):
        in_thread(lambda job: job.fail(LookupError()))


def test_what_comes_first_counts() -> None:
    async def body() -> None:
        job = make(asyncio.get_running_loop())
        job.expire()
        job.succeed(1)
        job.fail(LookupError())
        await asyncio.sleep(0)
        with pytest.raises(DeadlineError):
            await job.future
        job.expire()

    asyncio.run(body())


def test_it_may_do_nothing_after_its_deadline_or_once_nobody_waits() -> None:
    async def body() -> None:
        job = make(asyncio.get_running_loop())
        job.check()
        job.abandoned = True
        with pytest.raises(DeadlineError, match="do it"):
            job.check()
        with pytest.raises(DeadlineError, match="do it"):
            make(asyncio.get_running_loop(), -1.0).check()

    asyncio.run(body())


def test_its_error_says_whether_it_had_begun() -> None:
    async def body() -> None:
        job = make(asyncio.get_running_loop())
        assert "behind an earlier request" in str(job.late())
        job.begun = True
        assert "no answer from the X server" in str(job.late())

    asyncio.run(body())


def test_a_loop_that_is_closed_is_told_nothing() -> None:
    loop = asyncio.new_event_loop()
    job = make(loop)
    loop.close()
    job.succeed(1)
    job.fail(LookupError())
    assert not job.future.done()
