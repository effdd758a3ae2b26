"""The alert figures: what the alerts look at, over the last minutes (RT-X3).

Imports the alerts' figures, the link state, the degradation and the lives.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from windtunnel.policies.router.alerts import Figures
from windtunnel.services.backend.degradation import Degradation
from windtunnel.services.backend.link_state import LinkState
from windtunnel.services.backend.lives import Lives
from windtunnel.services.clock import now_ns
from windtunnel.units import MINUTE

WINDOW: Final = 5 * MINUTE
"""Shares are of this time: one that counted from the start would hardly move after a day."""


class _Counts(NamedTuple):
    """Counts since the start, at an instant."""

    at: int
    degraded: int
    sent: int
    timeouts: int


class AlertFigures:
    """Gathers them: degraded time of all time, time-outs of all submissions, and what stands now.

    Counts submissions by the notes `task.sent` and `task.refused`, of both platforms. `queue` and
    `refresh_failures` are asked for. Use of the inside is busy of online, 0 when nothing is online.
    """

    def __init__(
        self,
        state: LinkState,
        degradation: Degradation,
        lives: Lives,
        queue: Callable[[], int],
        refresh_failures: Callable[[], int],
    ) -> None:
        self._state = state
        self._degradation = degradation
        self._lives = lives
        self._queue = queue
        self._refresh_failures = refresh_failures
        self._sent = 0
        self._timeouts = 0
        self._past: deque[_Counts] = deque()

    def on_note(self, kind: str, op: str, details: Mapping[str, Any]) -> None:  # noqa: ARG002 - the observer's shape
        """Count a submission that is over."""
        if kind == "task.sent":
            self._sent += 1
        elif kind == "task.refused":
            self._sent += 1
            self._timeouts += details["why"] == "timeout"

    def figures(self) -> Figures:
        """Return the figures of now; the shares since the oldest call of the last 5 minutes."""
        at = now_ns()
        new = _Counts(at, self._degradation.degraded_ns(at), self._sent, self._timeouts)
        self._past.append(new)
        while self._past[0].at < at - WINDOW:
            self._past.popleft()
        old = self._past[0]
        capacity = self._state.capacity(at)
        return Figures(
            degraded_share=_share(new.degraded - old.degraded, new.at - old.at),
            timeout_share=_share(new.timeouts - old.timeouts, new.sent - old.sent),
            queue=self._queue(),
            crashes=self._lives.crashes(at),
            refresh_failures_last_hour=self._refresh_failures(),
            inside_use=_share(capacity.busy, capacity.online),
        )


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 0.0
