"""The check `conservation`: nothing is lost, nothing happens twice (UI-Q10)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.lifecycles import BOUNDARY, OutcomeName, is_background
from windtunnel.checks.moments import at, end_of
from windtunnel.checks.selection import Operations, selects
from windtunnel.trace import Event, Outcome, Trace
from windtunnel.units import format_duration, from_ms
from windtunnel.world import EndReason

_NEVER_RAN: Final = (Outcome.REJECTED, Outcome.EXPIRED)
CUT_SHORT: Final = ("until", "limit")
"""Ends of a run that leave operations open."""
_UNANSWERED: Final = ("timeout", "unreachable")
"""Why a submission failed of which nobody knows whether the platform has it."""
_TOLD: Final = 3
"""How many offenders a message names."""
_WORDS: Final = {
    "action.submitted": "was submitted",
    "action.started": "started",
    "action.settled": "settled",
    "caller.settled": "was answered",
}


class ConservationArgs(CheckArgs):
    """Which operations are counted, and how they may end."""

    of: Operations = ()
    outcomes: tuple[OutcomeName, ...] = ()
    """The only outcomes allowed; none given: any."""
    accepted_once: bool = False
    """Starts may repeat (after a lost instance), even as late as after the end; there may also be
    the first of one that was handed to a platform which never answered. The accepted result may
    still come only once."""


@dataclass(frozen=True, slots=True)
class Offence:
    """What is wrong with one operation, and the events that show it."""

    message: str
    witness: tuple[int, ...]


@dataclass(slots=True)
class Account:
    """The boundary events of one operation."""

    events: dict[str, Event] = field(default_factory=dict)
    """The first of each kind."""
    over: Event | None = None
    """From here on it may not start any more."""
    offence: Offence | None = None
    """The first one."""
    in_doubt: bool = False
    """Whether a platform may have been handed it that never answered."""

    @property
    def closed(self) -> bool:
        """Tell whether it has settled and its caller was told."""
        return "action.settled" in self.events and "caller.settled" in self.events

    @property
    def background(self) -> bool:
        """Tell whether no run waits for it."""
        submitted = self.events.get("action.submitted")
        return submitted is not None and is_background(submitted)

    def enter(self, event: Event, args: ConservationArgs) -> None:
        """Take in an event; note what is wrong with it."""
        if self.offence is None:
            self.offence = self._offence(event, args)
        self.events.setdefault(event.kind, event)
        told_never = event.kind == "caller.settled" and event.outcome in _NEVER_RAN
        if self.over is None and (event.kind == "action.settled" or told_never):
            self.over = event

    def _offence(self, event: Event, args: ConservationArgs) -> Offence | None:
        kind, what = event.kind, f"{event.op} {_WORDS[event.kind]}"
        if (before := self.events.get(kind)) is not None:
            if not (kind == "action.started" and args.accepted_once):
                return Offence(f"{what} twice, {at(before)} and {at(event)}", _seqs(event, before))
        elif kind != "action.submitted" and "action.submitted" not in self.events:
            return Offence(f"{what} {at(event)} and was never submitted", (event.seq,))
        if kind == "action.started" and (over := self.over) is not None and not self._again:
            told = f"{what} {at(event)}, after it {_WORDS[over.kind]} as {over.outcome} {at(over)}"
            return Offence(told, _seqs(event, over))
        if kind == "caller.settled" and event.outcome == Outcome.DONE:
            return self._told_amiss(event)
        if kind == "action.settled" and args.outcomes and event.outcome not in args.outcomes:
            allowed = " or ".join(args.outcomes)
            return Offence(f"{what} as {event.outcome} {at(event)}, not {allowed}", (event.seq,))
        return None

    @property
    def _again(self) -> bool:
        """Tell whether a start after the end is of what was under way, or may have been, by then.

        What was to run on a lost instance may begin there when it is reached again, while the
        result of the second start was accepted (RT-C3). What a platform was handed that did not
        answer it may have, and do, after the task has failed for that: a time-out proves nothing
        (F-R17). Nobody was told that it never ran.
        """
        ran = self.over is not None and self.over.outcome not in _NEVER_RAN
        return ran and ("action.started" in self.events or self.in_doubt)

    def _told_amiss(self, answer: Event) -> Offence | None:
        """Return what is wrong with an answer that all went well: so must the operation have."""
        told, settled = f"{answer.op} was answered as done {at(answer)}", self.over
        if settled is None or settled.kind != "action.settled":
            begun = self.events["action.submitted"]
            return Offence(f"{told}, before it was over", _seqs(answer, begun))
        if settled.outcome != Outcome.DONE:
            how = f"after it settled as {settled.outcome} {at(settled)}"
            return Offence(f"{told}, {how}", _seqs(answer, settled))
        return None

    def overdue(self, now: int) -> Offence | None:
        """Return what is wrong where the caller's wait was over before this instant, in vain."""
        submitted = self.events.get("action.submitted")
        wait = submitted.details.get("wait_ms") if submitted is not None else None
        if submitted is None or not wait or "caller.settled" in self.events:
            return None
        if now <= submitted.time + from_ms(wait):
            return None
        told = f"{submitted.op} was submitted {at(submitted)} with a wait of "
        told += f"{format_duration(from_ms(wait))}, and its caller had not been told anything by "
        return Offence(told + format_duration(now), (submitted.seq,))


@dataclass(slots=True)
class Requests:
    """The requests to the bridge's routes: each has to be answered once."""

    received: set[str] = field(default_factory=set)
    open: dict[str, Event] = field(default_factory=dict)
    """Not answered yet."""
    wrong: list[Offence] = field(default_factory=list)

    def enter(self, event: Event) -> None:
        """Take in an event; note what is wrong with it."""
        if event.kind == "request.received":
            self.received.add(event.op)
            self.open[event.op] = event
        elif self.open.pop(event.op, None) is None:
            how = "twice" if event.op in self.received else "and was never received"
            self.wrong.append(Offence(f"{_request(event)} was answered {how}", (event.seq,)))

    def offences(self, *, cut_short: bool) -> Iterator[Offence]:
        """Yield what is wrong, with those that were never answered unless the run was cut short."""
        yield from self.wrong
        for event in () if cut_short else self.open.values():
            told = f"{_request(event)} was received {at(event)} and never answered"
            yield Offence(told, (event.seq,))


def _request(event: Event) -> str:
    return f"{event.class_} {event.op}"


@register("conservation", ConservationArgs, always=True)
def conservation(trace: Trace, args: ConservationArgs, context: Context) -> CheckResult:
    """Every operation submitted settles exactly once, and so does its caller's wait (UI-Q10).

    None starts twice, none after it settled or after its caller was told that it never ran,
    nothing settles that was not submitted, nobody is told `done` before it is, or of what failed
    (UI-Q3). Every request is answered once, too. What is still open at the end is lost where the
    run finished or broke down (deadlock, error); where `until` or a limit cut it short it is only
    open, and so is what a background service submitted in a turn of its own as the run finished:
    unless the caller's bounded wait was over by then (UI-Q7). A cancelled caller is no offence:
    the operation goes on and settles by itself. Measured: the number of operations and requests
    that offend. Vacuous where there was none, or none had settled when the run was cut short.
    """
    accounts, desk = _accounts(trace, args), _requests(trace, args)
    if not accounts and not desk.received and not desk.wrong:
        return CheckResult(Verdict.VACUOUS, "no operation was submitted")
    end = context.end.reason
    offences = [
        *_offences(accounts, end, end_of(trace)),
        *desk.offences(cut_short=end in CUT_SHORT),
    ]
    if not offences:
        return _in_order(accounts, desk)
    named = "; ".join(offence.message for offence in offences[:_TOLD])
    more = f"; and {len(offences) - _TOLD} more" if len(offences) > _TOLD else ""
    return CheckResult(Verdict.FAIL, named + more, offences[0].witness, len(offences))


def _in_order(accounts: dict[str, Account], desk: Requests) -> CheckResult:
    operations, requests = len(accounts), len(desk.received)
    left = sum(not account.closed for account in accounts.values()) + len(desk.open)
    if left == operations + requests:
        return CheckResult(Verdict.VACUOUS, "no operation had settled when the run was ended")
    told = f"{operations} operations" + (f", {requests} requests" if requests else "")
    told += f", {left} still open when the run was ended" if left else ""
    return CheckResult(Verdict.PASS, told, measured=0)


def _accounts(trace: Trace, args: ConservationArgs) -> dict[str, Account]:
    accounts: dict[str, Account] = {}
    for event in trace.of(*BOUNDARY, *(("task.refused",) if args.accepted_once else ())):
        account = accounts.get(event.op)
        if event.kind == "task.refused":
            if account is not None and event.details["why"] in _UNANSWERED:
                account.in_doubt = True
            continue
        if account is None:
            if not selects(args.of, event.op, event.class_):
                continue
            account = accounts[event.op] = Account()
        account.enter(event, args)
    return accounts


def _requests(trace: Trace, args: ConservationArgs) -> Requests:
    desk = Requests()
    for event in trace.of("request.received", "request.answered"):
        if selects(args.of, event.op, event.class_):
            desk.enter(event)
    return desk


def _offences(accounts: dict[str, Account], end: EndReason, now: int) -> Iterator[Offence]:
    """Yield one offence of each operation that offends, in the order of first events."""
    cut_short, finished = end in CUT_SHORT, end == "finished"
    for op, account in accounts.items():
        if account.offence is not None:
            yield account.offence
        elif not account.closed and not (cut_short or (finished and account.background)):
            yield _lost(op, account.events)
        elif (overdue := account.overdue(now)) is not None:
            yield overdue


def _lost(op: str, events: dict[str, Event]) -> Offence:
    submitted = events["action.submitted"]
    missing = "settled" if "action.settled" not in events else "answered its caller"
    told = f"{op} was submitted {at(submitted)}"
    if (started := events.get("action.started")) is not None:
        told += f", started {at(started)}"
    return Offence(f"{told} and never {missing}", tuple(event.seq for event in events.values()))


def _seqs(*events: Event) -> tuple[int, ...]:
    return tuple(event.seq for event in events)
