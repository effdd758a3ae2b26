"""The wall limit: an end to code that never comes back."""

# ruff: noqa: RUF006 - tasks that nobody holds are what these tests are about

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import Callable, Coroutine, Generator
from types import SimpleNamespace
from typing import Any

import pytest

from windtunnel_models import SimLoop, run
from windtunnel_models.errors import LoopError, WallLimit
from windtunnel_models.loop.wall import wall_limit

Main = Callable[[], Coroutine[Any, Any, None]]


async def endless() -> None:
    while True:
        pass


async def endless_in_a_task() -> None:
    asyncio.create_task(endless())
    await asyncio.sleep(1)


async def endless_in_a_process() -> None:
    loop = asyncio.get_running_loop()
    assert isinstance(loop, SimLoop)
    forever = bool(loop)

    def endless() -> Generator[Any, Any, None]:
        while forever:
            pass
        yield loop.env.event()

    await loop.env.process(endless())


async def endless_and_swallowing() -> None:
    while True:
        with contextlib.suppress(Exception):
            await endless()


async def endless_when_cancelled() -> None:
    try:
        await endless()
    finally:
        await endless()


@pytest.mark.parametrize(
    "main",
    [
        endless,
        endless_in_a_task,
        endless_in_a_process,
        endless_and_swallowing,
        endless_when_cancelled,
    ],
)
def test_endless_code_is_ended_and_its_place_named(main: Main) -> None:
    with (
        pytest.raises(WallLimit, match=r"after 0\.05 s.*test_wall\.py:\d+ in .*endless"),
        wall_limit(0.05),
    ):
        run(main())


def test_code_that_swallows_even_the_alarm_fails() -> None:
    def swallow() -> None:
        try:
            while True:
                pass
        except BaseException:  # noqa: BLE001, S110 - what code under test may do
            pass

    with pytest.raises(WallLimit), wall_limit(0.05):
        swallow()


def test_who_asks_is_told_once_before_the_code_is_broken_off() -> None:
    told: list[str] = []

    def swallow() -> None:
        for _ in range(3):
            try:
                while True:
                    pass
            except BaseException:  # noqa: BLE001 - what code under test may do
                told.append("broken off")

    with pytest.raises(WallLimit), wall_limit(0.05, lambda: told.append("limit")):
        swallow()
    assert told == ["limit", *["broken off"] * 3]


@pytest.mark.parametrize("after", [LoopError("a deadlock"), KeyError(), SystemExit(1)])
def test_what_is_found_after_the_alarm_is_its_own_doing(after: BaseException) -> None:
    def block() -> None:
        try:
            signal.raise_signal(signal.SIGALRM)
        finally:
            raise after

    with (
        pytest.raises(WallLimit, match=r"after 60 s.*test_wall\.py:\d+ in .*block"),
        wall_limit(60),
    ):
        block()


@pytest.mark.parametrize("method", [wall_limit.__enter__, wall_limit.__exit__])
def test_an_alarm_that_strikes_beside_the_block_is_none(method: Callable[..., None]) -> None:
    frame: Any = SimpleNamespace(f_code=method.__code__, f_lineno=1)
    limit = wall_limit(60)
    with limit:
        limit._on_alarm(signal.SIGALRM, frame)


def test_code_within_the_limit_leaves_no_trace() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with wall_limit(60):
        assert run(asyncio.sleep(86_400, "over")) == "over"
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_an_error_passes_and_the_handler_is_put_back() -> None:
    before = signal.getsignal(signal.SIGALRM)
    with pytest.raises(KeyError), wall_limit(60):
        raise KeyError
    assert signal.getsignal(signal.SIGALRM) is before


@pytest.mark.parametrize("seconds", [0, -1, float("nan")])
def test_the_limit_is_positive(seconds: float) -> None:
    with pytest.raises(ValueError, match="positive"), wall_limit(seconds):
        pass


def test_off_the_main_thread_it_says_so() -> None:
    raised: list[BaseException] = []

    def body() -> None:
        try:
            with wall_limit(1):
                pass
        except LoopError as error:
            raised.append(error)

    thread = threading.Thread(target=body)
    thread.start()
    thread.join()
    assert "main thread" in str(raised[0])
