"""The loops that services are run in: the simulated one, or both."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from windtunnel_models import run as run_simulated

Run = Callable[[Coroutine[Any, Any, None]], None]


def _real(main: Coroutine[Any, Any, None]) -> None:
    asyncio.run(main, debug=True)


def _simulated(main: Coroutine[Any, Any, None]) -> None:
    run_simulated(main, debug=True)


@pytest.fixture
def run() -> Run:
    """Give the runner of a new simulated loop, in asyncio's debug mode."""
    return _simulated


@pytest.fixture(params=[_real, _simulated], ids=["asyncio", "sim"])
def run_on_both(request: pytest.FixtureRequest) -> Run:
    """Give, one after the other, the runner of an ordinary loop and of a simulated one."""
    runner: Run = request.param
    return runner
