"""The UI scheduler's metrics, all from zero (UI-Q11)."""

from __future__ import annotations

from typing import Any

from windtunnel.policies.ui.priority import Priority
from windtunnel.units import to_ms


class UIMetrics:
    """Counters of one scheduler. Durations are kept in nanoseconds and shown in ms."""

    __slots__ = ("exec_ns", "executed", "fast_fail", "rate_limited", "timeout", "wait_ns")

    def __init__(self) -> None:
        self.executed = dict.fromkeys(Priority, 0)
        self.wait_ns = 0
        self.exec_ns = 0
        self.timeout = 0
        self.rate_limited = 0
        self.fast_fail = 0

    def count_executed(self, priority: Priority, wait_ns: int, exec_ns: int) -> None:
        """Count an action that ran, whether it returned or raised (UI-Q15).

        `wait_ns` is from submission to start, `exec_ns` from start to end.
        """
        self.executed[priority] += 1
        self.wait_ns += wait_ns
        self.exec_ns += exec_ns

    def snapshot(self, pending: int) -> dict[str, Any]:
        """Return a copy by the names of UI-Q11 (UI-Q14)."""
        return {
            "executed_total": sum(self.executed.values()),
            "executed_by_priority": {key.name: number for key, number in self.executed.items()},
            "wait_duration_ms_sum": to_ms(self.wait_ns),
            "exec_duration_ms_sum": to_ms(self.exec_ns),
            "timeout_total": self.timeout,
            "rate_limited_total": self.rate_limited,
            "fast_fail_total": self.fast_fail,
            "pending_count": pending,
        }
