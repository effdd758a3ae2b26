"""Accesses: where the application's screen and database say what a step reads and writes.

The simulated world listens (`windtunnel_models.access`); a real window has nobody to tell. Imports
nothing of the project.
"""

from __future__ import annotations

from typing import Literal, Protocol

Mode = Literal["read", "write"]


class Accesses(Protocol):
    """Whom a step's accesses are told."""

    def report(self, resource: str, mode: Mode) -> None:
        """Say that the running step reads or writes a resource."""


class NoAccesses:
    """Nobody."""

    def report(self, resource: str, mode: Mode) -> None:
        """Tell nobody."""
