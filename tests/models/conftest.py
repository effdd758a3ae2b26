"""The two loops that one body of asyncio code is run on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

import windtunnel_models

Run = Callable[[Coroutine[Any, Any, Any]], Any]


@pytest.fixture(params=[asyncio.run, windtunnel_models.run], ids=["asyncio", "sim"])
def run_on_both(request: pytest.FixtureRequest) -> Run:
    """Give, one after the other, what runs a coroutine in an ordinary and a simulated loop."""
    runner: Run = request.param
    return runner
