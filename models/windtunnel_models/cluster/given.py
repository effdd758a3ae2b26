"""The given: what a scenario says of the simulated cluster at the start, read from plain data.

Durations are nanoseconds. What is left out has the figures that stand here. Imports the errors,
spans and the profile's form of a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from windtunnel.errors import WorldError
from windtunnel.services.wire.addresses import EXTERNAL
from windtunnel.spans import Span, as_span
from windtunnel.units import MS, SECOND

LATENCY: Final = MS


@dataclass(frozen=True, slots=True)
class FleetGiven:
    """The bridges, their instances and the external platform of this run."""

    internal: int = 4
    """How many instances there are: `inst-0`, `inst-1`, …"""
    bridges: int = 2
    """How many bridges have them: `bridge-0`, `bridge-1`, …"""
    external: int = 10
    """How many tasks the external platform works on at once."""
    heartbeat: int = 10 * SECOND
    """Between two messages by which a bridge says that it is alive, ns."""
    off: tuple[str, ...] = ()
    """Instances that are switched off at the start."""
    slow: Mapping[str, float] = field(default_factory=dict)
    """Instance → how many times as long it takes for everything."""
    external_slow: float = 1.0
    """The same of the external platform."""

    @property
    def instances(self) -> tuple[str, ...]:
        """The names of the instances, in order."""
        return tuple(f"inst-{number}" for number in range(self.internal))

    @property
    def paces(self) -> dict[str, float]:
        """Where it is slower than by default → how many times as long everything takes there."""
        return {**self.slow, EXTERNAL: self.external_slow}

    def by_bridge(self) -> dict[str, tuple[str, ...]]:
        """Return the instances of each bridge: runs of them, as even as can be, longer ones first.

        So `bridge-0` has the first ceil(internal / bridges).
        """
        even, more = divmod(self.internal, self.bridges)
        shares: dict[str, tuple[str, ...]] = {}
        begin = 0
        for number in range(self.bridges):
            end = begin + even + (number < more)
            shares[f"bridge-{number}"] = self.instances[begin:end]
            begin = end
        return shares


@dataclass(frozen=True, slots=True)
class NetworkGiven:
    """The network between the hosts of this run."""

    latency: Span
    """From one host to another, ns."""
    loss: float = 0.0
    """Share of the messages that are lost, 0 to 1."""


@dataclass(frozen=True, slots=True)
class ClusterGiven:
    """What there is, and how it is connected."""

    fleet: FleetGiven
    network: NetworkGiven


def read_cluster(given: Mapping[str, Any] | None) -> ClusterGiven:
    """Return what `WorldSpec.given` says; keys that are not the world's are let be.

    Raises `WorldError` for instances that there are not, and for figures that mean nothing.
    """
    given = given or {}
    fleet = _fleet(given.get("fleet") or {})
    network = given.get("network") or {}
    loss = network.get("loss", 0.0)
    if not 0 <= loss <= 1:
        raise WorldError(f"`network.loss` is a share of the messages, 0 to 1, not {loss!r}")
    return ClusterGiven(fleet, NetworkGiven(as_span(network.get("latency", LATENCY)), loss))


def _fleet(given: Mapping[str, Any]) -> FleetGiven:
    said = {name: given[name] for name in FleetGiven.__dataclass_fields__ if name in given}
    fleet = FleetGiven(**{**said, "off": tuple(said.get("off", ()))})
    for name, least in {"internal": 0, "bridges": 1, "external": 0, "heartbeat": 1}.items():
        if getattr(fleet, name) < least:
            raise WorldError(f"`fleet.{name}` is at least {least}, not {getattr(fleet, name)}")
    _check_names(fleet, "off", fleet.off)
    _check_names(fleet, "slow", fleet.slow)
    for place, pace in fleet.paces.items():
        if not pace > 0:
            raise WorldError(f"{place} cannot take {pace!r} times as long: that is over 0")
    return fleet


def _check_names(fleet: FleetGiven, key: str, names: Iterable[str]) -> None:
    for name in names:
        if name not in fleet.instances:
            there = ", ".join(fleet.instances) or "none"
            raise WorldError(f"`fleet.{key}` names `{name}`; the instances are: {there}")
