"""The alerts: figures over their limits (RT-X3). Imports nothing of the project."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

AlertSeverity = Literal["warning", "critical"]


@dataclass(frozen=True, slots=True)
class Figures:
    """What the alerts look at. Shares and use are from 0 to 1, the others are counts."""

    degraded_share: float
    timeout_share: float
    queue: int
    crashes: int
    refresh_failures_last_hour: int
    inside_use: float


@dataclass(frozen=True, slots=True)
class Alert:
    """A figure and its limit; `name` is the figure's."""

    name: str
    severity: AlertSeverity
    value: float
    limit: float


class Edges(NamedTuple):
    """The alerts that went on, and those that went off with the value that is in order again."""

    raised: tuple[Alert, ...]
    cleared: tuple[Alert, ...]


RULES: Final[tuple[tuple[str, AlertSeverity, float], ...]] = (
    ("degraded_share", "critical", 0.5),
    ("timeout_share", "warning", 0.1),
    ("queue", "warning", 100),
    ("crashes", "critical", 0),
    ("refresh_failures_last_hour", "warning", 3),
    ("inside_use", "warning", 0.9),
)
"""Figure, severity, and the limit above which there is an alert."""


def alerts(figures: Figures) -> tuple[Alert, ...]:
    """Return an alert for each figure above its limit, in the order of the rules.

    A figure at its limit is none.
    """
    return tuple(alert for alert in _measured(figures) if alert.value > alert.limit)


def _measured(figures: Figures) -> tuple[Alert, ...]:
    return tuple(
        Alert(name, severity, getattr(figures, name), limit) for name, severity, limit in RULES
    )


class Alarms:
    """Which alerts are on, so that each is told once when it goes on and once when it goes off."""

    __slots__ = ("_on",)

    def __init__(self) -> None:
        self._on: frozenset[str] = frozenset()

    @property
    def on(self) -> frozenset[str]:
        """The names of the alerts that are on."""
        return self._on

    def update(self, figures: Figures) -> Edges:
        """Take the figures of now and return what went on and what went off."""
        before = self._on
        measured = _measured(figures)
        self._on = frozenset(alert.name for alert in measured if alert.value > alert.limit)
        raised, cleared = self._on - before, before - self._on
        return Edges(
            tuple(alert for alert in measured if alert.name in raised),
            tuple(alert for alert in measured if alert.name in cleared),
        )
