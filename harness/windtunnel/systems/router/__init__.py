"""The router system: a backend and a dispatcher, internal first (spec: system 2)."""

from __future__ import annotations

from windtunnel.systems.router.system import RouterSystem

__all__ = ["RouterSystem"]
