"""The port `Hosts`: where programs run that may crash and be started again.

Imports the ports that a host gives to its program.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, runtime_checkable

from windtunnel.ports.network import Network
from windtunnel.ports.store import Store


@dataclass(frozen=True, slots=True)
class HostPorts:
    """What a program has of its host; dead once the host has crashed.

    Nothing that a dead program still does with them has an effect: its calls never end.
    """

    name: str
    """By which others reach it."""
    network: Network
    store: Store
    environment: Mapping[str, str] = field(default_factory=dict)
    """Its environment variables; secrets stand here alone."""
    alive: Callable[[], bool] = lambda: True
    """Whether this life of the program still goes on."""


Program = Callable[[HostPorts], Awaitable[None]]
"""What runs on a host; ends when it is cancelled. One that raises has crashed."""


class Moved(NamedTuple):
    """An entry of a watched table came or went, told at the commit."""

    id: str
    key: str
    there: bool
    """Whether it is there now; False: it has gone."""


@runtime_checkable
class Hosts(Protocol):
    """The hosts of the world."""

    def start(self, name: str, program: Program) -> None:
        """Run a program on a host, from now on and again after each crash when that is over.

        Records `host.started`, and `host.crashed` when it is killed or raises.
        """

    async def stop(self, name: str) -> None:
        """End a host's program for good, within 5 s; nothing happens if there is none."""

    def watch(
        self, host: str, keys: Collection[str], told: Callable[[Sequence[Moved]], None]
    ) -> None:
        """Be told of the entries that come into these tables of a host's store or go out of them.

        Called once for each commit that moves any, at its instant, in the order of the changes,
        and for what expires; an entry that is only replaced is not told of. The host's program
        need not be alive then.
        """
