"""The degradations of a trace: how each was detected and told, and how it ended (RT-H2 to H4).

Imports the moments and `windtunnel.trace`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from windtunnel.checks.moments import end_of
from windtunnel.trace import Event, Trace

_PARTY: Final = "backend"
_DEGRADING: Final = ("degrade_local_store", "emergency", "degrade")
"""Reactions to an error by which the router degrades (RT-X2)."""
_KINDS: Final = (
    "link.lost",
    "health.checked",
    "error.met",
    "router.degraded",
    "router.recovered",
    "route.decided",
    "host.started",
)


@dataclass(slots=True)
class Degradation:
    """A time in which the router was to do without the inside."""

    detected: Event
    """The first of what shows it: a lost link, a bad check, an error that degrades.

    Without any of these it is the `router.degraded` itself, the details of which say since when.
    """
    degraded: Event | None = None
    """When the router was told; None where it never was."""
    recovered: Event | None = None
    until: int = 0
    """Its end, or that of what is known of it, ns."""
    good: int = 0
    """Good checks in a row up to its end, all of one life of the backend."""
    inside: Event | None = None
    """The last decision since the detection that sent tasks inside."""
    against: Event | None = None
    """The first such decision after the router was told."""

    @property
    def since(self) -> int:
        """The instant of its detection, ns."""
        if self.degraded is None:
            return self.detected.time
        return min(self.detected.time, self.degraded.time - int(self.degraded.details["after"]))

    @property
    def switched(self) -> Event | None:
        """What shows that the router does without the inside from then on; None: nothing does."""
        if self.degraded is None or self.inside is None:
            return self.degraded
        return max(self.degraded, self.inside)


@dataclass(slots=True)
class _Reader:
    open: Degradation | None = None
    """Detected in this life of the backend, and not over."""
    standing: Degradation | None = None
    """Told in a former life, and not over."""
    good: int = 0
    """Good checks in a row, of this life."""
    looked: bool = False
    """Whether a check of this life was good.

    A backend that could not store its degradation begins anew: then one good check ends it, and
    nobody is told. What goes inside from there on is no offence.
    """

    def enter(self, event: Event) -> Iterator[Degradation]:
        """Take in an event; yield what is over with it."""
        match event.kind:
            case "router.degraded":
                yield from self._degraded(event)
            case "router.recovered":
                yield from self._recovered(event)
            case "route.decided":
                self._decided(event)
            case "host.started":
                yield from self._started(event)
            case _:
                self._sign(event)

    def end(self, until: int) -> Iterator[Degradation]:
        """Yield what is not over at that instant, ns."""
        for one in (self.standing, self.open):
            if one is not None and (one.degraded is not None or self.standing is None):
                one.until = until
                yield one

    def _sign(self, event: Event) -> None:
        if _is_bad(event):
            self.good = 0
            self.open = self.open or Degradation(event)
        elif event.kind == "health.checked":
            self.good += 1
            self.looked = True

    def _degraded(self, event: Event) -> Iterator[Degradation]:
        for one in (self.standing, self.open):
            if one is not None and one.degraded is not None:
                one.until = event.time
                yield one
        if self.open is None or self.open.degraded is not None:
            self.open = Degradation(event)
        self.open.degraded = event
        self.standing, self.good = None, 0

    def _recovered(self, event: Event) -> Iterator[Degradation]:
        told = self.open is not None and self.open.degraded is not None
        one = self.open if told else self.standing
        if one is not None:
            one.recovered, one.until, one.good = event, event.time, self.good
            yield one
        self.open, self.standing, self.good = None, None, 0

    def _decided(self, event: Event) -> None:
        if not event.details["to_internal"]:
            return
        if (one := self.open) is not None:
            one.inside = event
            if one.degraded is not None:
                one.against = one.against or event
        if (one := self.standing) is not None and not self.looked:
            one.inside = event
            one.against = one.against or event

    def _started(self, event: Event) -> Iterator[Degradation]:
        """Take it that the backend lives again: it may know of a degradation, or not."""
        if event.resource != _PARTY:
            return
        if self.open is not None and self.open.degraded is not None:
            self.standing = self.open
        elif self.open is not None and self.standing is None:
            self.open.until = event.time
            yield self.open
        self.open, self.good, self.looked = None, 0, False


def _is_bad(event: Event) -> bool:
    """Tell whether an event shows that the inside is not to be relied on (RT-H2, RT-X2)."""
    details = event.details
    if event.kind == "health.checked":
        return not details["healthy"]
    if event.kind == "error.met":
        return details["party"] == _PARTY and details["reaction"] in _DEGRADING
    return event.kind == "link.lost"


def degradations(trace: Trace) -> Iterator[Degradation]:
    """Yield each degradation, in the order of their ends; the last ones may not be over.

    One that was detected and never told is among them.
    """
    reader = _Reader()
    for event in trace.of(*_KINDS):
        yield from reader.enter(event)
    yield from reader.end(end_of(trace))
