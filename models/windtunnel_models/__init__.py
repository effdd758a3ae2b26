"""The simulated world: a SimPy timeline for asyncio code, and models of what runs on it."""

from __future__ import annotations

from windtunnel_models.environment import SimEnvironment
from windtunnel_models.loop import SimLoop
from windtunnel_models.runner import run

__all__ = ["SimEnvironment", "SimLoop", "run"]
