"""The trace: the one record of a run, append-only, from which every verdict derives.

Events are ordered by (time, sequence). What kinds there are stands in one table,
`windtunnel.kinds`; how events are written and digested in `canonical.py`. Imports only
`windtunnel.errors` and `windtunnel.kinds`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextvars import copy_context
from itertools import chain, islice
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from windtunnel.errors import TraceError
from windtunnel.kinds import KINDS

Details = Mapping[str, Any]
Clock = Callable[[], int]
Listener = Callable[["Event"], None]

NO_DETAILS: Final[Details] = MappingProxyType({})
_new: Final = tuple.__new__


class Outcome:
    """How an operation ended, or what its caller was told (DESIGN: the table of outcomes)."""

    DONE: Final = "done"
    """The action returned."""
    FAILED: Final = "failed"
    """The action raised."""
    REJECTED: Final = "rejected"
    """RATE_LIMITED, QUEUE_FULL, WECHAT_NOT_READY, NOT_LOGGED_IN or STOPPED: it never ran."""
    EXPIRED: Final = "expired"
    """TIMEOUT while queued: it never ran."""
    UNKNOWN: Final = "unknown"
    """TIMEOUT while running: the caller's view; the operation goes on."""
    ABORTED: Final = "aborted"
    """Cancelled or killed."""

    ALL: Final = (DONE, FAILED, REJECTED, EXPIRED, UNKNOWN, ABORTED)


class Event(NamedTuple):
    """One record of a run; `""` stands for a field that does not apply."""

    time: int
    """Nanoseconds since the start of the run; below 0 for what came before it."""
    seq: int
    """Position in the trace, from 0."""
    kind: str
    """A key of `KINDS`."""
    op: str = ""
    """The operation: `id` or `id.N` of a timeline entry."""
    actor: str = ""
    """Who acted: the caller, a service, a fault."""
    class_: str = ""
    """The class of the operation: `send_text`, `logout`, `task`."""
    resource: str = ""
    """What was acted on: `display`, a process, a window."""
    outcome: str = ""
    """One of `Outcome.ALL`."""
    details: Details = NO_DETAILS
    """What else `windtunnel.kinds` says of this kind; JSON values only."""


class Trace:
    """An append-only list of events with one clock.

    `clock` returns nanoseconds; they count from its own 0, or from `begin`. `limit` bounds the
    number of events kept: the first one over it calls `on_limit` once, and nothing is recorded from
    then on, so that a run away cannot exhaust memory.
    """

    __slots__ = (
        *("_clock", "_closed_at", "_events", "_limit", "_listeners", "_on_limit"),
        *("_by_kind", "_origin", "_sorted_in"),
    )

    def __init__(
        self, clock: Clock, *, limit: int = 1_000_000, on_limit: Callable[[], None] | None = None
    ) -> None:
        self._clock = clock
        self._origin = 0
        self._events: list[Event] = []
        self._limit = limit
        self._on_limit = on_limit
        self._listeners: dict[str, list[Listener]] = {}
        self._closed_at: int | None = None
        self._by_kind: dict[str, list[Event]] = {}
        self._sorted_in = 0  # so many events stand in `_by_kind`

    def record(
        self,
        kind: str,
        op: str = "",
        actor: str = "",
        class_: str = "",
        resource: str = "",
        outcome: str = "",
        details: Details = NO_DETAILS,
    ) -> None:
        """Append an event at the clock's time and tell the listeners of its kind.

        Raises `TraceError` for a kind that is not in `KINDS`.
        """
        if self._closed_at is not None:
            return
        if kind not in KINDS:
            raise TraceError(f"{kind!r} is not a kind of trace event; see windtunnel.kinds.KINDS")
        events = self._events
        seq = len(events)
        # What `Event(…)` does in the end; a run spends much of its time here.
        event = _new(
            Event,
            (
                self._clock() - self._origin,
                seq,
                kind,
                op,
                actor,
                class_,
                resource,
                outcome,
                details,
            ),
        )
        events.append(event)
        if kind in self._listeners:
            for listener in tuple(self._listeners[kind]):
                listener(event)
        if seq + 1 >= self._limit:
            self._reach_limit()

    def begin(self) -> None:
        """Have the run begin now, at instant 0: what came before has instants below it."""
        now = self._clock() - self._origin
        if not now:
            return
        self._origin += now
        self._events = [event._replace(time=event.time - now) for event in self._events]
        self._by_kind.clear()
        self._sorted_in = 0

    def _reach_limit(self) -> None:
        self.close()
        if self._on_limit is not None:
            self._on_limit()

    def close(self, at: int | None = None) -> None:
        """Record nothing more: what follows is taking down, not part of the run.

        `at` is the instant of its end, in nanoseconds, if not now.
        """
        if self._closed_at is None:
            self._closed_at = self._clock() - self._origin if at is None else at

    def end(self, reason: str) -> None:
        """Close the trace and record `run.ended` at the instant of its closing.

        What happened in words is no part of the trace: it names files and lines of this machine,
        and equal runs have equal traces.
        """
        self.close()
        at = self._closed_at or 0
        self._events.append(Event(at, len(self._events), "run.ended", details={"reason": reason}))

    def listen(self, kind: str, listener: Listener) -> Callable[[], None]:
        """Call `listener(event)` at each event of a kind; returns a function that stops it.

        It is called in the context it was registered in, not in that of whoever records: what it
        starts must not belong to a program that may crash.
        """
        listeners = self._listeners.setdefault(kind, [])
        context = copy_context()

        def hear(event: Event) -> None:
            context.copy().run(listener, event)

        listeners.append(hear)

        def stop() -> None:
            if hear in listeners:
                listeners.remove(hear)
            if not listeners:
                self._listeners.pop(kind, None)

        return stop

    def release(self) -> None:
        """Let go of the events of a trace that is over and read.

        They go at once then: the world's objects hold one another, and the trace, until the garbage
        collector comes, and it takes several times as long over so many.
        """
        self.close()
        self._events.clear()
        self._by_kind.clear()
        self._sorted_in = 0

    @property
    def limit(self) -> int:
        """How many events are kept at most."""
        return self._limit

    def __len__(self) -> int:
        """Return the number of events."""
        return len(self._events)

    def __iter__(self) -> Iterator[Event]:
        """Iterate over the events in order."""
        return iter(self._events)

    def __getitem__(self, seq: int) -> Event:
        """Return the event with that sequence number."""
        return self._events[seq]

    def of(self, *kinds: str) -> Iterator[Event]:
        """Iterate over the events of these kinds, in order.

        Takes as long as there are such events; over most of the trace, as long as one look at all.
        """
        wanted = frozenset(kinds)
        found = self._sort_in()
        among = [found[kind] for kind in wanted if kind in found]
        if len(among) <= 1:
            return iter(among[0] if among else ())
        if 2 * sum(map(len, among)) < len(self._events):
            return iter(sorted(chain.from_iterable(among)))
        return iter([event for event in self._events if event.kind in wanted])

    def _sort_in(self) -> dict[str, list[Event]]:
        """Return the events by kind."""
        found = self._by_kind
        for event in islice(self._events, self._sorted_in, None):
            if (kind := event.kind) in found:
                found[kind].append(event)
            else:
                found[kind] = [event]
        self._sorted_in = len(self._events)
        return found
