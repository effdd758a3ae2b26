"""The check `fast_fail`: while WeChat is down nothing waits and nothing runs in vain (UI-Q8)."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final, Self

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.lifecycles import Lifecycle, walk
from windtunnel.checks.moments import at, end_of
from windtunnel.checks.selection import Operations, selects
from windtunnel.errors import Code
from windtunnel.fields import Duration
from windtunnel.trace import Event, Outcome, Trace
from windtunnel.units import format_duration

_CRITICAL: Final = 0
_NOT_READY: Final = Code.WECHAT_NOT_READY.value
_WINDOW: Final = ("window.opened", "window.closed", "action.delayed")


class FastFailArgs(CheckArgs):
    """Whose operations fail fast, and how fast."""

    of: Operations = ()
    within: Duration = 0
    """After the worker could have reached it, an operation has its answer within this time."""

    def loosened(self, tolerance: int) -> Self:
        """Return it with so much more time to answer."""
        return self.model_copy(update={"within": self.within + tolerance})


@dataclass(slots=True)
class Watch:
    """The dead window, the worker and who waits for it, at a moment of the trace."""

    args: FastFailArgs
    opened: int = 0
    until: int | None = None
    """When the window closes by itself; None while it is closed."""
    closed: int | None = None
    """When it closed last."""
    free_at: int = 0
    """Since when the worker is free, or will be after its delay."""
    running: set[str] = field(default_factory=set)
    waiting: OrderedDict[str, Lifecycle] = field(default_factory=OrderedDict)
    """Those that must fail fast once they are reached, by their submission."""
    refused: int = 0
    """Refused as they should be."""
    wrong: dict[str, tuple[str, tuple[int, ...]]] = field(default_factory=dict)
    """Operation → what went wrong with it first, and the events that show it."""

    def advance(self, now: int) -> None:
        """Let the window close by itself if its time is over before this instant."""
        if self.until is not None and now > self.until:
            self.close(self.until)

    def close(self, now: int) -> None:
        """Close the window; who could have been refused by then is late."""
        self.find_late(now)
        self.closed, self.until = now, None

    def find_late(self, now: int) -> None:
        """Note who has waited for its refusal too long, though the worker was free."""
        if self.until is None or self.running:
            return
        late: list[Lifecycle] = []
        for life in self.waiting.values():  # by submission: the first that is in time ends it
            if not self.is_late(life, now):
                break
            late.append(life)
        for life in late:
            del self.waiting[life.op]
            self.note(life, f"was not refused by {format_duration(now)}", life.submitted)

    def is_late(self, life: Lifecycle, now: int) -> bool:
        """Tell whether one waits longer than allowed after the free worker could reach it."""
        reached = max(life.submitted.time, self.opened, self.free_at)
        return now - reached > self.args.within

    def note(self, life: Lifecycle, told: str, event: Event) -> None:
        """Note what went wrong with an operation, unless something did before."""
        who = f"{life.submitted.class_} {life.op}"
        seqs = dict.fromkeys((event.seq, life.submitted.seq))
        self.wrong.setdefault(life.op, (f"{who} {told}", tuple(seqs)))

    def enter_window(self, event: Event) -> None:
        """Take in what a scheduler reports of its window and its delays."""
        if event.kind == "window.opened":
            if self.until is None:
                self.opened = self.until = event.time
            self.until = max(self.until, event.time + event.details["left"])
        elif event.kind == "window.closed" and self.until is not None:
            self.close(event.time)
        elif event.kind == "action.delayed" and not self.running:
            self.free_at = max(self.free_at, event.time + event.details["delay"])

    def enter(self, event: Event, life: Lifecycle) -> None:
        """Take in an event of the boundary."""
        if event is life.submitted:
            chosen = selects(self.args.of, life.op, event.class_)
            if chosen and life.urgency != _CRITICAL:
                self.waiting[life.op] = life
        elif event is life.started:
            self._start(event, life)
        elif event is life.settled:
            self._settle(event, life)

    def _start(self, event: Event, life: Lifecycle) -> None:
        inside = self.until is not None and self.opened < event.time < self.until
        if inside and life.op in self.waiting:
            self.note(life, f"started {at(event)}, inside the window", event)
        self.find_late(event.time)
        self.waiting.pop(life.op, None)
        self.running.add(life.op)

    def _settle(self, event: Event, life: Lifecycle) -> None:
        if life.op in self.running:
            self.running.discard(life.op)
            if not self.running:
                self.free_at = event.time
            return
        waited = self.waiting.pop(life.op, None)
        late = waited and self.until is not None and not self.running
        if late and self.is_late(life, event.time):
            self.note(life, f"was answered only {at(event)}", event)
        elif event.outcome == Outcome.REJECTED and event.details.get("code") == _NOT_READY:
            self._refuse(event, life)

    def _refuse(self, event: Event, life: Lifecycle) -> None:
        """Judge a refusal: the window is open, or was until now, and it is not CRITICAL."""
        just_closed = self.closed is not None and event.time - self.closed <= self.args.within
        if not selects(self.args.of, life.op, life.submitted.class_):
            return
        if life.urgency == _CRITICAL:
            self.note(life, f"is CRITICAL and was refused {at(event)}", event)
        elif self.until is None and not just_closed:
            self.note(life, f"was refused {at(event)}, outside the window", event)
        else:
            self.refused += 1


@register("fast_fail", FastFailArgs, optional_kinds=frozenset({"window.opened"}))
def fast_fail(trace: Trace, args: FastFailArgs, context: Context) -> CheckResult:
    """While the dead window is open all but CRITICAL operations fail at once (UI-Q8, UI-Q15).

    None of them starts inside the window. Whoever waits there is answered WECHAT_NOT_READY within
    `within` of the first instant at which the worker was free, neither running an operation nor
    in the delay after one. Nobody is answered so outside, and no CRITICAL one ever. At the very
    instants at which the window opens, and closes by itself, both are right. What goes past the
    scheduler (`via: direct`) does not count. Measured: the number of operations treated otherwise.
    Vacuous where nobody was refused, since no window opened or nobody came to it.
    """
    del context
    watch = Watch(args)
    lives = {id(event): life for event, life in walk(trace) if life.queued}
    for event in trace.of("action.submitted", "action.started", "action.settled", *_WINDOW):
        watch.advance(event.time)
        if event.kind in _WINDOW:
            watch.enter_window(event)
        elif (life := lives.get(id(event))) is not None:
            watch.enter(event, life)
    watch.advance(end_of(trace))
    watch.find_late(end_of(trace))
    if watch.wrong:
        told, witness = next(iter(watch.wrong.values()))
        count = len(watch.wrong)
        return CheckResult(Verdict.FAIL, f"{told}; {count} treated otherwise", witness, count)
    if not watch.refused:
        return CheckResult(Verdict.VACUOUS, "nobody came to an open window")
    return CheckResult(Verdict.PASS, f"{watch.refused} refused at once", measured=0)
