"""The instance: a machine inside that works on one task at a time, and the line to its bridge.

The line may be cut: then neither hears the other. An order that is given then is lost, as a request
that nobody answers; results are kept, and come in order when the line is whole again. Imports the
work, the wire form of a result, the log of accesses and the faults' words.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, Protocol

from windtunnel.faults import Felt
from windtunnel.services.wire.task import result_of
from windtunnel_models.access import AccessLog
from windtunnel_models.cluster.work import Work, Workshop, op_of, wrong_work

State = Literal["idle", "busy", "off", "crashed"]
Down = Literal["off", "crashed"]
KEPT: Final = 1000
"""So many orders an instance remembers, to know one that comes again."""


class Order(NamedTuple):
    """A task that an instance is to work on, for the `attempt`-th time."""

    task: str
    attempt: int
    payload: Mapping[str, Any]


class Result(NamedTuple):
    """What has become of an order: a result, or an error."""

    instance: str
    task: str
    attempt: int
    result: str | None
    error: str | None


class Listener(Protocol):
    """A bridge, as its instances see it."""

    def hear(self, result: Result) -> bool:
        """Take a result; tell whether that was done: the instance keeps it otherwise."""

    def notice(self, instance: Instance) -> None:
        """See that an instance went down or came up."""


class Instance:
    """One instance. It forgets everything when it goes down; what it works on is lost then.

    Records `instance.changed`. It works on what it was ordered, once: an order that it has or had
    is passed over, and another while it is busy is answered with the error `busy`.
    """

    def __init__(self, shop: Workshop, log: AccessLog, name: str, bridge: str) -> None:
        self.name = name
        self.bridge = bridge
        self.state: State = "idle"
        self.order: Order | None = None
        """What it works on."""
        self._shop = shop
        self._log = log
        self._resource = f"instance.{name}"
        self._details: dict[str, Mapping[str, str]] = {
            state: MappingProxyType({"state": state, "bridge": bridge})
            for state in ("idle", "busy", "off", "crashed")
        }
        self._listener: Listener | None = None
        self._cuts: dict[str, Felt] = {}
        self._work: Work | None = None
        self._had: dict[tuple[str, int], None] = {}
        self._going: list[Result] = []
        self._down_by: str | None = None

    # ------------------------------------------------------------------ as its bridge sees it

    @property
    def is_up(self) -> bool:
        """Whether it runs."""
        return self.state in ("idle", "busy")

    @property
    def op(self) -> str | None:
        """Whose task it works on, if any."""
        return None if self.order is None else op_of(self.order.payload)

    def answers(self) -> bool:
        """Tell whether it answers its bridge now: it is up, and not cut off."""
        self._log.report(self._resource, "read")
        return self.is_up and not self._is_cut("")

    def give(self, order: Order) -> None:
        """Give it a task; it does not hear of it while its line is cut."""
        if not self._is_cut(op_of(order.payload)):
            self._take(order)

    def listen(self, listener: Listener) -> None:
        """Tell it who hears it from now on, in the place of anybody else; hear what it has kept."""
        self._listener = listener
        if not self._cuts:
            self._hand_over()

    # ------------------------------------------------------------------ what may befall it

    def open(self, state: State) -> None:
        """Begin the run in that state."""
        self._change(state)

    def go_down(self, state: Down, by: str | None = None) -> None:
        """Go down at once, on somebody's account; nothing happens if it is down."""
        if not self.is_up:
            return
        self._down_by = by
        if self._work is not None:
            self._work.stop()
        self._work = self.order = None
        self._had.clear()
        self._going.clear()
        self._change(state)
        self._be_noticed()

    def come_up(self, by: str | None = None) -> None:
        """Come up, idle; nothing happens if it is up, or down on another's account than `by`'s."""
        if self.is_up or (by is not None and by != self._down_by):
            return
        self._down_by = None
        self._change("idle")
        self._be_noticed()

    def is_down_by(self, by: str) -> bool:
        """Tell whether it is down on that account."""
        return not self.is_up and self._down_by == by

    def cut(self, by: str, felt: Felt) -> None:
        """Cut its line, until everybody who did has mended it; `felt` whenever that matters."""
        self._cuts[by] = felt

    def mend(self, by: str) -> None:
        """Mend its line; nothing happens if it was not cut on that account."""
        if self._cuts.pop(by, None) is None or self._cuts:
            return
        if not self.is_up:
            self._be_noticed()
        self._hand_over()

    def is_cut_by(self, by: str) -> bool:
        """Tell whether its line is cut on that account."""
        return by in self._cuts

    def repace(self) -> None:
        """Look at its pace again."""
        if self._work is not None:
            self._work.repace()

    # ------------------------------------------------------------------ inside

    def _take(self, order: Order) -> None:
        key = order.task, order.attempt
        self._log.report(self._resource, "read")
        if not self.is_up:
            self._be_noticed()  # whoever gave the order does not know it
        elif key in self._had:
            return
        elif self.order is not None:
            self._answer(order, None, "busy")
        elif (wrong := wrong_work(order.payload)) is not None:
            self._answer(order, None, wrong)
        else:
            self._begin(order, key)

    def _begin(self, order: Order, key: tuple[str, int]) -> None:
        self._had[key] = None
        if len(self._had) > KEPT:
            del self._had[next(iter(self._had))]
        self.order = order
        self._change("busy")
        self._work = Work(self._shop, "internal", self.name, order.payload, self._over)

    def _over(self, error: str | None) -> None:
        order = self.order
        assert order is not None  # whoever takes the order away stops the work
        self._work = self.order = None
        self._change("idle")
        self._answer(order, None if error is not None else result_of(order.payload), error)

    def _answer(self, order: Order, result: str | None, error: str | None) -> None:
        self._going.append(Result(self.name, order.task, order.attempt, result, error))
        if not self._is_cut(op_of(order.payload)):
            self._hand_over()

    def _hand_over(self) -> None:
        while self._going and self._listener is not None and self._listener.hear(self._going[0]):
            del self._going[0]

    def _be_noticed(self) -> None:
        if self._listener is not None and not self._is_cut(""):
            self._listener.notice(self)

    def _is_cut(self, op: str) -> bool:
        """Tell whether the line is cut, now that something of `op` would go over it."""
        if not self._cuts:
            return False
        for felt in self._cuts.values():
            felt(op)
        return True

    def _change(self, state: State) -> None:
        self.state = state
        self._log.report(self._resource, "write")
        self._shop.trace.record("instance.changed", "", "", "", self.name, "", self._details[state])
