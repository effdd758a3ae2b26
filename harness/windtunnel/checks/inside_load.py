"""The load inside: what the backend has sent there and is not over, beside the instances (RT-S4).

Imports the views and `windtunnel.trace`.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final

from windtunnel.checks.views import PLACES, Side
from windtunnel.trace import Event, Trace

_INSIDE: Final = PLACES["internal"]
_SENDING: Final = "sending"
_AT_WORK: Final = ("pending", "processing")
"""Places of the dispatcher's store in which a task has an instance, or is to get one."""


def sides_sent(trace: Trace) -> dict[str, deque[Side]]:
    """Return task → the side of each of its submissions that came to an end, in order."""
    found: defaultdict[str, deque[Side]] = defaultdict(deque)
    for event in trace.of("task.sent", "task.refused"):
        found[event.op].append(event.details["side"])
    return found


@dataclass(slots=True)
class Load:
    """Tasks and instances inside, up to the last event that was entered.

    A task counts from the move to `sending` that a submission inside follows on (`sides` tells,
    for the move does not), until that is refused, the backend has it elsewhere, or the dispatcher
    has it no longer, or takes its instance as free. One that the dispatcher puts back has lost its
    instance, by no fault of whoever sent it, and counts no more; nor does one whose instance the
    dispatcher does not reach.
    """

    sides: dict[str, deque[Side]]
    report: Event | None = None
    """The last report of the capacity that the backend knows (`capacity.known`)."""
    _sent: set[str] = field(default_factory=set)
    _over: set[str] = field(default_factory=set)
    """Tasks that the dispatcher is done with, has put back, or takes as nobody's."""
    _at: dict[str, str] = field(default_factory=dict)
    """Task → the instance that it was given to last."""
    _given: dict[str, set[str]] = field(default_factory=dict)
    """Instance → the tasks that were given to it last, and that it may still have."""
    _reached: set[str] = field(default_factory=set)
    """The instances that the dispatcher reaches."""
    _counted: set[str] = field(default_factory=set)

    @property
    def online(self) -> int:
        """Instances by the last report, or by what the dispatcher knows by now if that is more."""
        reported = 0 if self.report is None else int(self.report.details["online"])
        return max(reported, len(self._reached))

    @property
    def open(self) -> int:
        """Tasks that were sent inside, and that an instance has or is to get."""
        return len(self._counted)

    def enter(self, event: Event) -> None:
        """Take in an event of one of `KINDS`."""
        _ENTER[event.kind](self, event)
        if event.op:
            self._count((event.op,))

    def _count(self, ops: Iterable[str]) -> None:
        for op in ops:
            at = self._at.get(op)
            reached = at is None or at in self._reached
            if reached and op in self._sent and op not in self._over:
                self._counted.add(op)
            else:
                self._counted.discard(op)

    def _known(self, event: Event) -> None:
        self.report = event

    def _started(self, event: Event) -> None:
        if event.resource == "dispatcher":
            left, self._reached = self._reached, set()
            for instance in left:
                self._count(self._given.get(instance, ()))

    def _instance(self, event: Event) -> None:
        instance, status = event.details["instance"], event.details["status"]
        (self._reached.discard if status == "offline" else self._reached.add)(instance)
        given = self._given.get(instance, set())
        if status == "online":  # and not busy: it has nothing
            self._over |= given
            self._given[instance] = set()
        self._count(given)

    def _assigned(self, event: Event) -> None:
        instance, op = event.details["instance"], event.op
        if (before := self._at.get(op)) is not None:
            self._given[before].discard(op)
        self._at[op] = instance
        self._given.setdefault(instance, set()).add(op)

    def _requeued(self, event: Event) -> None:
        self._over.add(event.op)

    def _answered(self, event: Event) -> None:
        """Take the end of a submission."""
        self.sides[event.op].popleft()
        if event.details["side"] == "internal":
            (self._sent.add if event.kind == "task.sent" else self._sent.discard)(event.op)

    def _moved(self, event: Event) -> None:
        op, source, goal = event.op, event.details.get("from"), event.details.get("to")
        if event.actor == "dispatcher":
            if goal not in _AT_WORK:
                self._over.add(op)
            elif source is None:
                self._over.discard(op)
        elif event.actor == "backend":
            next_side = next(iter(self.sides.get(op, ())), None)
            inside = goal == _INSIDE or (goal == _SENDING and next_side == "internal")
            (self._sent.add if inside else self._sent.discard)(op)


_ENTER: Final[Mapping[str, Callable[[Load, Event], None]]] = MappingProxyType(
    {
        "capacity.known": Load._known,  # noqa: SLF001 - the table is the class's own
        "host.started": Load._started,  # noqa: SLF001
        "instance.known": Load._instance,  # noqa: SLF001
        "task.assigned": Load._assigned,  # noqa: SLF001
        "task.moved": Load._moved,  # noqa: SLF001
        "task.refused": Load._answered,  # noqa: SLF001
        "task.requeued": Load._requeued,  # noqa: SLF001
        "task.sent": Load._answered,  # noqa: SLF001
    }
)
KINDS: Final = tuple(_ENTER)
"""The kinds of events that a load takes in."""
