"""The trace: the one record of a run, append-only, from which every verdict derives.

Events are ordered by (time, sequence). What kinds there are, who records them and what their
details mean stands in one table, `KINDS`; digests, witnesses, checks and foreign schedulers hang
on it. How events are written and digested stands in `canonical.py`. Imports only
`windtunnel.errors`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

from windtunnel.errors import TraceError

Details = Mapping[str, Any]
Clock = Callable[[], int]
Listener = Callable[["Event"], None]
Origin = Literal["boundary", "port", "world", "system", "scheduler", "run"]

NO_DETAILS: Final[Details] = MappingProxyType({})


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
    """Nanoseconds since the start of the run."""
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
    """What else `KINDS` says of this kind; JSON values only."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A row of the table of kinds."""

    summary: str
    origin: Origin
    fields: tuple[str, ...] = ()
    """Fields of `Event` that are always set."""
    details: Mapping[str, str] = field(default_factory=dict)
    """Name of each detail → what it means; a detail ending in `?` may be absent."""


KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        # The boundary: wrapped around the scheduler, the same for ours and for anybody's.
        "action.submitted": Kind(
            "a caller hands an operation to the scheduler (or starts it directly)",
            "boundary",
            ("op", "class_", "actor"),
            {
                "priority": "0 CRITICAL, 1 HIGH, 2 NORMAL, 3 LOW",
                "delay_ms?": "the delay after it that the caller asked for, ms",
                "wait_ms?": "bound on the caller's wait, ms",
                "via": "execute, enqueue or direct",
            },
        ),
        "action.started": Kind("the action's factory is called", "boundary", ("op", "class_")),
        "action.settled": Kind(
            "the operation is over: it ended, or its caller learnt that it will never run",
            "boundary",
            ("op", "class_", "outcome"),
            {"code?": "the error's code", "error?": "the error's type"},
        ),
        "caller.settled": Kind(
            "the caller is told",
            "boundary",
            ("op", "class_", "outcome"),
            {
                "code?": "the error's code",
                "error?": "the error's type",
                "retry_after?": "seconds",
                "phase?": "queued or running",
            },
        ),
        # Port calls.
        "command.started": Kind(
            "one command has the display and begins",
            "port",
            ("op", "class_", "resource"),
            {"command": "its name", "step": "its place in the flow, from 0"},
        ),
        "command.ended": Kind(
            "that command is over",
            "port",
            ("op", "class_", "resource", "outcome"),
            {"command": "its name", "step": "its place in the flow, from 0"},
        ),
        # The world.
        "process.started": Kind("a process runs", "world", ("resource",), {"pid": "its number"}),
        "process.killed": Kind(
            "a process is killed", "world", ("resource",), {"pid": "its number"}
        ),
        "world.observed": Kind(
            "the values that `equals` and `invariant` read were taken",
            "run",
            (),
            {"values": "name → value"},
        ),
        # Calls of the timeline and the services they reach.
        "call.started": Kind("a timeline call begins", "system", ("op", "class_")),
        "call.ended": Kind(
            "a timeline call is over",
            "system",
            ("op", "class_", "outcome"),
            {"result?": "what it returned", "code?": "the error's code", "error?": "its type"},
        ),
        "drain.started": Kind(
            "a drain begins", "system", ("actor",), {"timeout": "ns", "pending?": "queued then"}
        ),
        "drain.ended": Kind(
            "a drain is over", "system", ("actor",), {"drained": "whether nothing was left"}
        ),
        "drain.timed_out": Kind(
            "a drain gave up", "system", ("actor",), {"pending?": "queued or running then"}
        ),
        # Optional: from inside a scheduler that reports them.
        "action.queued": Kind(
            "the scheduler took the entry", "scheduler", ("op",), {"pending": "queued, with it"}
        ),
        "action.skipped": Kind(
            "an entry that is no longer wanted is passed over", "scheduler", ("op",)
        ),
        "action.fast_failed": Kind(
            "refused inside the dead window", "scheduler", ("op",), {"left": "ns until it closes"}
        ),
        "action.refused": Kind(
            "refused by a limit", "scheduler", ("op",), {"limit": "queue or rate"}
        ),
        "action.delayed": Kind(
            "the worker waits after an action", "scheduler", ("op",), {"delay": "ns"}
        ),
        "window.opened": Kind(
            "the dead window opens or grows",
            "scheduler",
            (),
            {"left": "ns until it closes", "pending": "queued then"},
        ),
        "window.closed": Kind("the dead window is closed by hand", "scheduler"),
        # The run itself.
        "run.ended": Kind(
            "nothing more is recorded",
            "run",
            (),
            {"reason": "finished, until, deadlock, limit or error"},
        ),
    }
)


class Trace:
    """An append-only list of events with one clock.

    `clock` returns the nanoseconds since the start of the run. `limit` bounds the number of events
    kept: the first one over it calls `on_limit` once, and nothing is recorded from then on, so
    that a run away cannot exhaust memory.
    """

    __slots__ = ("_clock", "_closed_at", "_events", "_limit", "_listeners", "_on_limit")

    def __init__(
        self, clock: Clock, *, limit: int = 1_000_000, on_limit: Callable[[], None] | None = None
    ) -> None:
        self._clock = clock
        self._events: list[Event] = []
        self._limit = limit
        self._on_limit = on_limit
        self._listeners: dict[str, list[Listener]] = {}
        self._closed_at: int | None = None

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
            raise TraceError(f"{kind!r} is not a kind of trace event; see windtunnel.trace.KINDS")
        events = self._events
        seq = len(events)
        event = Event(self._clock(), seq, kind, op, actor, class_, resource, outcome, details)
        events.append(event)
        if kind in self._listeners:
            for listener in tuple(self._listeners[kind]):
                listener(event)
        if seq + 1 >= self._limit:
            self._reach_limit()

    def _reach_limit(self) -> None:
        self.close()
        if self._on_limit is not None:
            self._on_limit()

    def close(self, at: int | None = None) -> None:
        """Record nothing more: what follows is taking down, not part of the run.

        `at` is the instant of its end, in nanoseconds, if not now.
        """
        if self._closed_at is None:
            self._closed_at = self._clock() if at is None else at

    def end(self, reason: str) -> None:
        """Close the trace and record `run.ended` at the instant of its closing.

        What happened in words is no part of the trace: it names files and lines of this machine,
        and equal runs have equal traces.
        """
        self.close()
        at = self._closed_at or 0
        self._events.append(Event(at, len(self._events), "run.ended", details={"reason": reason}))

    def listen(self, kind: str, listener: Listener) -> Callable[[], None]:
        """Call `listener(event)` at each event of a kind; returns a function that stops it."""
        listeners = self._listeners.setdefault(kind, [])
        listeners.append(listener)

        def stop() -> None:
            if listener in listeners:
                listeners.remove(listener)
            if not listeners:
                self._listeners.pop(kind, None)

        return stop

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
        """Iterate over the events of these kinds, in order."""
        wanted = frozenset(kinds)
        return (event for event in self._events if event.kind in wanted)
