"""The places: where each task is, by what the stores of backend and dispatcher hold (RT-R3, F-R9).

It is told at each commit, whatever the services themselves say, and records `task.moved`. Imports
the port, the trace and the addresses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Final

from windtunnel.ports.hosts import Hosts, Moved
from windtunnel.services.wire.addresses import BACKEND, DISPATCHER
from windtunnel.trace import Outcome, Trace

LEDGER: Final[Mapping[str, str]] = MappingProxyType(
    {
        place: place
        for place in ("waiting", "sending", "inside", "outside", "done", "failed", "expired")
    }
)
"""Table of the backend's store → place."""
CACHE: Final[Mapping[str, str]] = MappingProxyType(
    {f"md:cache:{place}": place for place in ("pending", "processing", "offered", "completed")}
)
"""Table of the dispatcher's store → place."""
TERMINAL: Final[Mapping[str, str]] = MappingProxyType(
    {"done": Outcome.DONE, "failed": Outcome.FAILED, "expired": Outcome.EXPIRED}
)
"""Place of the ledger in which a task is over → its outcome."""

Over = Callable[[str, str], None]
"""Told of a task that is over: its id and outcome."""


class Places:
    """Watches the stores; `over` is called each time that the ledger takes a task as over."""

    def __init__(self, trace: Trace, over: Over) -> None:
        self._trace = trace
        self._over = over
        self._details: dict[tuple[str | None, str | None], Mapping[str, str]] = {}
        """From where and to where → the details of such a move: there are many of few kinds."""
        self.counts: Counter[str] = Counter()
        """Place → tasks that are there; of a terminal place: that have come to it."""

    def watch(self, hosts: Hosts) -> None:
        """Watch the stores of both programs from now on."""
        for host, tables in ((BACKEND, LEDGER), (DISPATCHER, CACHE)):
            hosts.watch(host, tables.keys(), partial(self._told, host, tables))

    def _told(self, host: str, tables: Mapping[str, str], moves: Sequence[Moved]) -> None:
        """Take the moves of one commit: what left one table for another has moved once."""
        left: dict[str, str] = {}
        came: dict[str, str] = {}
        for id_, key, there in moves:
            (came if there else left)[id_] = tables[key]
        for id_ in left | came:
            self._record(host, id_, left.get(id_), came.get(id_))

    def _record(self, host: str, id_: str, left: str | None, came: str | None) -> None:
        if left == came:  # it has another place in the same table
            return
        details = self._details.get((left, came))
        if details is None:
            both = {"from": left, "to": came}
            details = {key: place for key, place in both.items() if place is not None}
            self._details[left, came] = details
        self._trace.record("task.moved", id_, host, details=details)
        if left is not None and left not in TERMINAL:
            self.counts[left] -= 1
        if came is not None:
            self.counts[came] += 1
            if came in TERMINAL:
                self._over(id_, TERMINAL[came])
