"""The Prometheus samples of a registry as plain values, for a scenario to read by name.

Imports nothing of the project but the form of a registry.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import chain
from typing import Any, Protocol


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
    """Return the samples by the names that they are exposed under.

    One without labels is a number, one with labels a mapping of their values, the outer one first.
    """
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
