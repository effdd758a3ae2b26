"""The two loops that one body of asyncio code is run on.

The ordinary loop is asyncio's own, all of it but the clock: its selector does not wait but moves
the time, so that no busy machine changes what is observed. As with a real clock, no two looks at it
see the same time: asyncio's heap leaves the order of equal deadlines open.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

import windtunnel_models

Run = Callable[..., Any]


class NeverWaiting(selectors.DefaultSelector):
    """A selector in virtual time, in seconds; each look at the clock takes 0.1 µs."""

    now = 0.0

    def time(self) -> float:
        self.now += 1e-7
        return self.now

    def select(self, timeout: float | None = None) -> Any:
        assert timeout is not None, "nothing is left to do, and asyncio would wait for ever"
        self.now += max(0.0, timeout)
        return super().select(0)


def ordinary_loop() -> asyncio.AbstractEventLoop:
    selector = NeverWaiting()
    loop = asyncio.SelectorEventLoop(selector)
    loop.time = selector.time  # type: ignore[method-assign]
    loop._clock_resolution = 1e-9  # type: ignore[attr-defined]
    return loop


def run_ordinary(main: Coroutine[Any, Any, Any], *, debug: bool | None = None) -> Any:
    with asyncio.Runner(debug=debug, loop_factory=ordinary_loop) as runner:
        return runner.run(main)


@pytest.fixture
def run_asyncio() -> Run:
    """Give what runs a coroutine in asyncio's own loop, as `asyncio.run` does."""
    return run_ordinary


@pytest.fixture(params=[run_ordinary, windtunnel_models.run], ids=["asyncio", "sim"])
def run_on_both(request: pytest.FixtureRequest) -> Run:
    """Give, one after the other, what runs a coroutine in an ordinary and a simulated loop."""
    runner: Run = request.param
    return runner
