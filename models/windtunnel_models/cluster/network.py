"""The network between the simulated hosts: who is there, and how long what is sent takes.

Imports the loop's environment and what a network is made of.
"""

from __future__ import annotations

from collections.abc import Collection

from windtunnel.spans import Span
from windtunnel.streams import stream
from windtunnel_models.cluster.exchanges import Exchange
from windtunnel_models.cluster.host_network import HostNetwork
from windtunnel_models.cluster.lives import Life
from windtunnel_models.cluster.obstacles import Obstacles
from windtunnel_models.cluster.parcels import Parcel
from windtunnel_models.loop.environment import SimEnvironment


class SimNetwork:
    """All hosts reach one another. Each parcel takes `latency`, drawn anew unless it is constant.

    `loss`: the share of parcels (requests, responses, messages) that do not come. `seed` is the
    root of its random streams.
    """

    def __init__(
        self, env: SimEnvironment, latency: Span, loss: float = 0.0, seed: int = 0
    ) -> None:
        self.env = env
        self.loss = loss
        self.seed = seed
        self.obstacles = Obstacles()
        self.exchanges: dict[Exchange, None] = {}
        """Requests whose answer somebody waits for, in order."""
        self._latency = latency
        self._constant = latency.min if latency.min == latency.max else None
        self._latencies = stream(seed, "network.latency")
        self._losses = stream(seed, "network.loss")
        self._stations: dict[str, HostNetwork] = {}
        self._names: set[str] = set()

    # ------------------------------------------------------------------ hosts

    def host(self, name: str, life: Life | None = None) -> HostNetwork:
        """Let a host be there from now on, and return the network as it sees it.

        `life`: whose tasks end with it; None: one of its own. Raises `ValueError` if it is there.
        """
        if name in self._stations:
            raise ValueError(f"the host `{name}` is there already")
        self._names.add(name)
        station = HostNetwork(self, life or Life(self.env.loop, name))
        self._stations[name] = station
        return station

    def kill(self, name: str) -> None:
        """Let a host be no more, with all that its life has begun; nothing happens if it is not.

        Its channels break and requests that it has read are reset, which their other ends know a
        latency later.
        """
        station = self._stations.pop(name, None)
        if station is None:
            return
        for exchange in [each for each in self.exchanges if each.at is station]:
            exchange.reset()
        for channel in tuple(station.channels):
            channel.shut()
        station.life.end()

    def is_up(self, name: str) -> bool:
        """Tell whether a host is there."""
        return name in self._stations

    @property
    def names(self) -> tuple[str, ...]:
        """Every host that ever was there, sorted."""
        return tuple(sorted(self._names))

    def station(self, name: str) -> HostNetwork | None:
        """Return a host in its present life, if it has one."""
        return self._stations.get(name)

    # ------------------------------------------------------------------ sending

    def latency(self) -> int:
        """Return how long the next parcel takes, ns."""
        if self._constant is not None:
            return self._constant
        return self._latency.draw(self._latencies)

    def send(self, parcel: Parcel, delay: int | None = None) -> None:
        """Send a parcel, which arrives `delay` ns from now (None: a latency) if all goes well."""
        delay = self.latency() if delay is None else delay
        if not (self.loss or self.obstacles.mishaps):
            self.env.schedule(parcel, delay=delay)  # type: ignore[arg-type] # an event by its shape
            return
        for later in self._fate(parcel):
            self.send_sign(parcel.copy(), delay + later)

    def send_sign(self, parcel: Parcel, delay: int | None = None) -> None:
        """Send a parcel that does not get lost by chance: what the hosts themselves repeat."""
        delay = self.latency() if delay is None else delay
        self.env.schedule(parcel, delay=delay)  # type: ignore[arg-type] # as above

    def _fate(self, parcel: Parcel) -> Collection[int]:
        if self.loss and self._losses.random() < self.loss:
            return ()
        return self.obstacles.fate(parcel)

    # ------------------------------------------------------------------ breaking off

    def break_all(self, between: Collection[str]) -> None:
        """Break every connection between two hosts; both ends know at once."""
        for exchange in tuple(self.exchanges):
            if {exchange.client.name, exchange.target} == set(between):
                exchange.refuse("the connection was reset")
        for name in sorted(between):
            station = self._stations.get(name)
            for channel in tuple(station.channels if station is not None else ()):
                if channel.peer in between:
                    channel.break_off()
