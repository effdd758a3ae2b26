"""The simulated loop: asyncio code and SimPy processes on one timeline in integer nanoseconds."""

from __future__ import annotations

from windtunnel_models.loop.sim_loop import SimLoop

__all__ = ["SimLoop"]
