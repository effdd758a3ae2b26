"""The two loops that one body of asyncio code is run on, and a desktop to play on.

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
from desktop_kit import Sheet, hear, play_on_a_desktop
from windtunnel.units import SECOND
from windtunnel_models.world import SimWorld

Run = Callable[..., Any]
Body = Callable[[SimWorld], Coroutine[Any, Any, None]]


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


@pytest.fixture
def play_desktop() -> Callable[..., SimWorld]:
    """Give what plays a body on a simulated desktop; `wechat` is given by keywords."""
    return play_on_a_desktop


def told(world: SimWorld, *kinds: str) -> list[tuple[Any, ...]]:
    """Give (seconds, kind, resource, details' values) of the events of these kinds, or of all."""
    return [
        (event.time / SECOND, event.kind, event.resource, *event.details.values())
        for event in world.trace
        if event.kind in kinds or (not kinds and not event.kind.startswith("command."))
    ]


@pytest.fixture
def tell() -> Callable[..., list[tuple[Any, ...]]]:
    """Give what boils a trace down."""
    return told


@pytest.fixture
def sheet() -> Sheet:
    """Give a logged-in window at its chats, and nothing open."""
    return Sheet()


@pytest.fixture
def hearing() -> Callable[..., Any]:
    """Give a context in which the accesses of a log are heard: it yields the list of them."""
    return hear
