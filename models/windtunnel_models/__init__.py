"""The simulated world: a SimPy timeline for asyncio code, and models of what runs on it."""

from __future__ import annotations

from windtunnel_models.loop.environment import SimEnvironment
from windtunnel_models.loop.runner import run
from windtunnel_models.loop.sim_loop import SimLoop

__all__ = ["SimEnvironment", "SimLoop", "run"]
