"""The latencies: how long each command of a desktop takes in one run.

Imports spans and units.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

from windtunnel.errors import WorldError
from windtunnel.spans import Span, as_span
from windtunnel.units import SECOND


class Latencies:
    """How long each command takes in one run: `given` first, then the figures of the world.

    `given` maps commands to nanoseconds or to `{"min", "max"}` of them. A drawn one costs one draw
    from `stream`, a constant none. `otherwise` (seconds) is for what has no figure at all.
    """

    def __init__(
        self,
        given: Mapping[str, Any],
        figures: Mapping[str, Span],
        stream: Random,
        otherwise: float | None = None,
    ) -> None:
        self._sources: tuple[Mapping[str, Span], ...] = (
            {command: as_span(time) for command, time in given.items()},
            figures,
        )
        self._stream = stream
        self._otherwise = otherwise
        self._known: dict[tuple[str, str], float | Span] = {}

    def seconds(self, command: str, port: str) -> float:
        """Return how long a command takes, by its flow's name for it, else by the port's.

        Raises `WorldError` for a port's name that has no figure.
        """
        known = self._known.get((command, port))
        return known if type(known) is float else self._seconds(command, port)

    def _seconds(self, command: str, port: str) -> float:
        known = self._known.get((command, port))
        if known is None:
            found = self._find(command, port)
            if isinstance(found, Span):
                found = found.min / SECOND if found.min == found.max else found
            known = found
            self._known[command, port] = known
        return known if isinstance(known, float) else known.draw(self._stream) / SECOND

    def _find(self, command: str, port: str) -> float | Span:
        for source in self._sources:
            for name in (command, port):
                if name in source:
                    return source[name]
        if self._otherwise is not None:
            return self._otherwise
        raise WorldError(f"there is no latency for `{port}` (looked for `{command}` too)")
