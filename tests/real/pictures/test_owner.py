"""The owner: one thread, a deadline for each caller, and a call that is stuck."""

from __future__ import annotations

import asyncio
import logging
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from pictures_kit import FAR_S, until
from windtunnel_real.errors import DeadlineError
from windtunnel_real.pictures.owner import Owner

SOON_S = 0.05


@pytest.fixture
def owner() -> Iterator[Owner]:
    owner = Owner("tested")
    yield owner
    owner.finish(lambda: None)


def test_a_job_runs_in_the_one_thread_and_its_value_comes_back(owner: Owner) -> None:
    async def main() -> list[str]:
        name = lambda: threading.current_thread().name  # noqa: E731
        return [await owner.call(name, FAR_S, "it") for _ in range(3)]

    assert asyncio.run(main()) == ["tested"] * 3


def test_what_a_job_raises_is_raised_even_a_timeout(owner: Owner) -> None:
    def fail() -> None:
        raise TimeoutError("its own")

    with pytest.raises(TimeoutError, match="its own") as caught:
        asyncio.run(owner.call(fail, FAR_S, "it"))
    assert not isinstance(caught.value, DeadlineError)


def test_jobs_are_done_in_order(owner: Owner) -> None:
    done: list[int] = []

    async def main() -> None:
        jobs = [owner.call(lambda n=n: done.append(n), FAR_S, "it") for n in range(50)]  # type: ignore[misc]
        await asyncio.gather(*jobs)

    asyncio.run(main())
    assert done == list(range(50))


def test_a_stuck_call_ends_for_its_caller_and_for_later_ones_and_the_thread_comes_back(
    owner: Owner,
) -> None:
    free = threading.Event()
    ran: list[str] = []

    def stuck() -> str:
        free.wait(FAR_S)
        ran.append("stuck")
        return "late"

    complaints: list[dict[str, Any]] = []

    async def main() -> str:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(lambda _, complaint: complaints.append(complaint))
        with pytest.raises(DeadlineError, match=r"the first was not over in 0\.05 s"):
            await owner.call(stuck, SOON_S, "the first")
        with pytest.raises(DeadlineError, match="the second"):
            await owner.call(lambda: ran.append("second"), SOON_S, "the second")
        free.set()
        return await owner.call(lambda: "in time", FAR_S, "the third")

    assert asyncio.run(main()) == "in time"
    assert ran == ["stuck"], "nobody wanted the second any more"
    assert complaints == [], "what came late was dropped"


def test_a_job_whose_caller_was_cancelled_is_not_begun(owner: Owner) -> None:
    free = threading.Event()
    ran: list[str] = []

    async def main() -> None:
        first = asyncio.create_task(owner.call(lambda: free.wait(FAR_S), FAR_S, "it"))
        second = asyncio.create_task(owner.call(lambda: ran.append("second"), FAR_S, "it"))
        await asyncio.sleep(0)
        second.cancel()
        await asyncio.gather(second, return_exceptions=True)
        free.set()
        await first
        await owner.call(lambda: ran.append("third"), FAR_S, "it")

    asyncio.run(main())
    assert ran == ["third"]


def test_a_loop_that_has_closed_meanwhile_harms_nobody(owner: Owner) -> None:
    free = threading.Event()
    with pytest.raises(DeadlineError):
        asyncio.run(owner.call(lambda: free.wait(FAR_S), SOON_S, "it"))
    free.set()
    assert asyncio.run(owner.call(lambda: 7, FAR_S, "it")) == 7


def test_it_finishes_after_what_is_before_it() -> None:
    owner, done = Owner("tested"), []
    free = threading.Event()

    async def main() -> None:
        call = asyncio.create_task(owner.call(lambda: free.wait(FAR_S), FAR_S, "it"))
        await asyncio.sleep(0)
        owner.finish(lambda: done.append("last"))
        assert not await owner.ended(SOON_S)
        free.set()
        assert await call
        assert await owner.ended(FAR_S)

    asyncio.run(main())
    assert done == ["last"]


def test_a_last_job_that_fails_is_logged_and_the_thread_ends(
    caplog: pytest.LogCaptureFixture,
) -> None:
    owner = Owner("tested")
    owner.finish(lambda: 1 / 0)  # type: ignore[arg-type]
    with caplog.at_level(logging.ERROR):
        assert asyncio.run(owner.ended(FAR_S))
    assert "tested did not end as it should" in caplog.text


def test_it_keeps_no_process_alive() -> None:
    async def main() -> None:
        owner = Owner("a daemon")
        (thread,) = [one for one in threading.enumerate() if one.name == "a daemon"]
        assert thread.daemon
        owner.finish(lambda: None)
        await until(lambda: not thread.is_alive())

    asyncio.run(main())
