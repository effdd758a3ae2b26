"""The observables: what a scenario may read of the bridge, by name.

The scheduler's metrics (UI-Q11) by their own names, the status (UI-M1) under `status`, and every
Prometheus sample by the name it is exposed under (UI-M2). Imports nothing of the project.
"""

from __future__ import annotations

from typing import Final

METRICS: Final = (
    *("executed_total", "executed_by_priority", "wait_duration_ms_sum", "exec_duration_ms_sum"),
    *("timeout_total", "rate_limited_total", "fast_fail_total", "pending_count"),
)
"""The metrics of UI-Q11."""
_HISTOGRAMS: Final = ("woc_ui_action_wait_duration_seconds", "woc_ui_action_exec_duration_seconds")
SAMPLES: Final = (
    "woc_send_queue_pending",
    *(f"woc_ui_action_{name}_total" for name in ("executed", "timeout", "rate_limited")),
    "woc_ui_action_fast_fail_total",
    *(f"{name}_{part}" for name in _HISTOGRAMS for part in ("bucket", "count", "sum")),
)
"""The Prometheus samples of UI-M2."""
OBSERVABLES: Final = frozenset({*METRICS, "status", *SAMPLES})
