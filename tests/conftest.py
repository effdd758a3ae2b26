"""For all tests: how properties are searched, and the loops that asyncio code is run in."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from hypothesis import settings

from windtunnel_models import run as run_simulated

Run = Callable[[Coroutine[Any, Any, Any]], Any]

# A deadline judges by the clock on the wall. A blob replays a failure found on another machine.
settings.register_profile("local", deadline=None, print_blob=True)
settings.register_profile("ci", settings.get_profile("local"), derandomize=False, database=None)
settings.load_profile("ci" if os.environ.get("CI") else "local")


def _real(main: Coroutine[Any, Any, Any]) -> Any:
    return asyncio.run(main, debug=True)


def _simulated(main: Coroutine[Any, Any, Any]) -> Any:
    return run_simulated(main, debug=True)


@pytest.fixture
def run() -> Run:
    """Give the runner of a new simulated loop, in asyncio's debug mode."""
    return _simulated


@pytest.fixture(params=[_real, _simulated], ids=["asyncio", "sim"])
def run_on_both(request: pytest.FixtureRequest) -> Run:
    """Give, one after the other, the runner of an ordinary loop and of a simulated one."""
    runner: Run = request.param
    return runner
