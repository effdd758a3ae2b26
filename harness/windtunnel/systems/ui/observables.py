"""The observables: what a scenario may read of the bridge, by name.

The scheduler's metrics (UI-Q11) by their own names, the status (UI-M1) under `status`, and every
Prometheus sample by the name it is exposed under (UI-M2): a sample without labels is a number, one
with labels a mapping of their values, the outer one first. Imports nothing of the project but the
form of a registry.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, Final, Protocol

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


class Sample(Protocol):
    """One sample of a Prometheus registry."""

    @property
    def name(self) -> str:
        """What it is exposed as."""

    @property
    def labels(self) -> Mapping[str, str]:
        """Name of each label → its value."""

    @property
    def value(self) -> float:
        """Its value."""


class Family(Protocol):
    """A metric of a Prometheus registry."""

    @property
    def samples(self) -> Iterable[Sample]:
        """Its samples."""


def samples(families: Iterable[Family]) -> dict[str, Any]:
    """Return the samples by name."""
    found: dict[str, Any] = {}
    for sample in chain.from_iterable(family.samples for family in families):
        labels = list(sample.labels.values())
        if not labels:
            found[sample.name] = sample.value
            continue
        place = found.setdefault(sample.name, {})
        for label in labels[:-1]:
            place = place.setdefault(label, {})
        place[labels[-1]] = sample.value
    return found
