"""Obstacles: what lies between hosts and in front of servers, and what a parcel meets there.

Nothing lies there by default, which costs a parcel one look. Imports parcels and the form of
requests and messages.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, Literal

from windtunnel.faults import Felt
from windtunnel.ports.network import Request, Response
from windtunnel.services.wire.addresses import path_of
from windtunnel.services.wire.task import OWN_ID
from windtunnel_models.cluster.parcels import Parcel

AS_IT_IS: Final = (0,)
"""The fate of most parcels: one copy, no later than it would be."""


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """These hosts are cut from all others: what comes is held until the cut is taken away."""

    hosts: frozenset[str]
    felt: Felt


@dataclass(frozen=True, slots=True, eq=False)
class Gap:
    """Between two hosts `silent` channels lose all; where it is `shut` nothing can be begun."""

    between: frozenset[str]
    kind: Literal["silent", "shut"]
    felt: Felt


@dataclass(slots=True, eq=False)
class Mishap:
    """Parcels between two hosts are lost, doubled or late."""

    between: frozenset[str]
    kind: Literal["lose", "duplicate", "delay"]
    felt: Felt
    stream: Random
    share: float | None = None
    """What share of the parcels it hits, by one draw each; None: each."""
    left: int | None = None
    """How many more; None: no end."""
    by: int = 0
    """How much later, ns."""


@dataclass(slots=True, eq=False)
class Answer:
    """A host's server answers requests to a path otherwise than its program would."""

    host: str
    path: str | None
    """None: every path."""
    felt: Felt
    response: Response | None = None
    """What it answers without its program; None: the program sees the request…"""
    unseen: bool = False
    """…unless it does not."""
    muted: bool = False
    """Whether no answer comes."""
    later: int = 0
    """How much later the answer comes, ns."""
    left: int | None = None
    """How many requests more; None: no end."""


Obstacle = Cut | Gap | Mishap | Answer


@dataclass(slots=True)
class Obstacles:
    """All obstacles of one network, each kind in the order of their coming."""

    standing: bool = False
    """Whether there is any cut or gap."""
    _cuts: list[Cut] = field(default_factory=list)
    _gaps: list[Gap] = field(default_factory=list)
    mishaps: list[Mishap] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    _held: list[Parcel] = field(default_factory=list)

    def __contains__(self, obstacle: object) -> bool:
        """Tell whether that very obstacle is there."""
        return any(obstacle in kind for kind in self._all)

    @property
    def _all(self) -> tuple[list[Any], ...]:
        return self._cuts, self._gaps, self.mishaps, self.answers

    def _of(self, obstacle: Obstacle) -> list[Any]:
        kinds = (Cut, Gap, Mishap, Answer)
        return self._all[kinds.index(type(obstacle))]

    def put(self, obstacle: Obstacle) -> None:
        """Put an obstacle there."""
        self._of(obstacle).append(obstacle)
        self.standing = bool(self._cuts or self._gaps)

    def take(self, obstacle: Obstacle) -> None:
        """Take it away, and let go what it has held; nothing happens where it is not."""
        if obstacle not in self:
            return
        self._of(obstacle).remove(obstacle)
        self.standing = bool(self._cuts or self._gaps)
        if isinstance(obstacle, Cut):
            held, self._held = self._held, []
            for parcel in held:
                parcel.arrive(parcel)  # which another cut may hold again, in the same order

    # ------------------------------------------------------------------ what is met

    def fate(self, parcel: Parcel) -> Collection[int]:
        """Return how much later (ns) each copy of a parcel comes that is sent now; empty: none."""
        copies, later = 1, 0
        ends = {parcel.source, parcel.target}
        for mishap in tuple(self.mishaps):
            if mishap.between != ends or not _hits(mishap):
                continue
            mishap.felt(operation_of(parcel.content))
            self._use(mishap, self.mishaps)
            if mishap.kind == "lose":
                return ()
            copies += mishap.kind == "duplicate"
            later += mishap.by
        return (later,) * copies

    def stops(self, parcel: Parcel) -> bool:
        """Tell whether a parcel that has come does not get through: it is held, or lost."""
        for cut in self._cuts:
            if (parcel.source in cut.hosts) is not (parcel.target in cut.hosts):
                cut.felt(operation_of(parcel.content))
                parcel.held = True
                self._held.append(parcel)
                return True
        gap = self._gap(parcel, "silent") if parcel.on_channel else None
        if gap is not None:
            gap.felt(operation_of(parcel.content))
        return gap is not None

    def refuses(self, parcel: Parcel) -> bool:
        """Tell whether nothing can be begun between the parcel's hosts."""
        return self._gap(parcel, "shut") is not None

    def _gap(self, parcel: Parcel, kind: str) -> Gap | None:
        ends = {parcel.source, parcel.target}
        return next((gap for gap in self._gaps if gap.kind == kind and gap.between == ends), None)

    def answer(self, host: str, request: Request) -> Answer | None:
        """Return how a request to that host is answered otherwise, if so; it is used by that."""
        path = path_of(request.url)
        for answer in self.answers:
            if answer.host == host and answer.path in (None, path):
                answer.felt(operation_of(request))
                self._use(answer, self.answers)
                return answer
        return None

    def _use(self, used: Mishap | Answer, among: list[Any]) -> None:
        if used.left is not None:
            used.left -= 1
            if not used.left:
                among.remove(used)


def _hits(mishap: Mishap) -> bool:
    return mishap.share is None or mishap.stream.random() < mishap.share


def operation_of(content: object) -> str:
    """Return the operation that a request, response or message is about, or `""`."""
    body = content.body if isinstance(content, Request | Response) else content
    if not isinstance(body, Mapping):
        return ""
    data = body.get("data")
    inner: Mapping[str, Any] = data if isinstance(data, Mapping) else {}
    return str(body.get(OWN_ID) or inner.get(OWN_ID) or inner.get("taskId") or "")
