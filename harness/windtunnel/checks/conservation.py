"""The check `conservation`: nothing is lost, nothing happens twice (UI-Q10)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.lifecycles import BOUNDARY, OutcomeName
from windtunnel.checks.moments import at
from windtunnel.checks.selection import Operations, selects
from windtunnel.trace import Event, Outcome, Trace

_NEVER_RAN: Final = (Outcome.REJECTED, Outcome.EXPIRED)
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
    """Starts may repeat (after a lost instance); the accepted result may still come only once."""


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

    @property
    def closed(self) -> bool:
        """Tell whether it has settled and its caller was told."""
        return "action.settled" in self.events and "caller.settled" in self.events

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
        if kind == "action.started" and (over := self.over) is not None:
            told = f"{what} {at(event)}, after it {_WORDS[over.kind]} as {over.outcome} {at(over)}"
            return Offence(told, _seqs(event, over))
        if kind == "action.settled" and args.outcomes and event.outcome not in args.outcomes:
            allowed = " or ".join(args.outcomes)
            return Offence(f"{what} as {event.outcome} {at(event)}, not {allowed}", (event.seq,))
        return None


@register("conservation", ConservationArgs, always=True)
def conservation(trace: Trace, args: ConservationArgs, context: Context) -> CheckResult:
    """Every operation submitted settles exactly once, and so does its caller's wait (UI-Q10).

    None starts twice, none after it settled or after its caller was told that it never ran,
    nothing settles that was not submitted. What is still open at the end is lost where the run
    finished or broke down (deadlock, error); where `until` or a limit cut it short it is only
    open. A cancelled caller is no offence: the operation goes on and settles by itself.
    Measured: the number of operations that offend. Vacuous where none was submitted, or none had
    settled when the run was cut short.
    """
    accounts = _accounts(trace, args)
    if not accounts:
        return CheckResult(Verdict.VACUOUS, "no operation was submitted")
    still_open = [op for op, account in accounts.items() if not account.closed]
    offences = list(_offences(accounts, cut_short=context.end.reason in ("until", "limit")))
    if not offences:
        if len(still_open) == len(accounts):
            return CheckResult(Verdict.VACUOUS, "no operation had settled when the run was ended")
        left = f", {len(still_open)} still open when the run was ended" if still_open else ""
        return CheckResult(Verdict.PASS, f"{len(accounts)} operations{left}", measured=0)
    named = "; ".join(offence.message for offence in offences[:_TOLD])
    more = f"; and {len(offences) - _TOLD} more" if len(offences) > _TOLD else ""
    return CheckResult(Verdict.FAIL, named + more, offences[0].witness, len(offences))


def _accounts(trace: Trace, args: ConservationArgs) -> dict[str, Account]:
    accounts: dict[str, Account] = {}
    for event in trace.of(*BOUNDARY):
        account = accounts.get(event.op)
        if account is None:
            if not selects(args.of, event.op, event.class_):
                continue
            account = accounts[event.op] = Account()
        account.enter(event, args)
    return accounts


def _offences(accounts: dict[str, Account], *, cut_short: bool) -> Iterator[Offence]:
    """Yield one offence of each operation that offends, in the order of first events."""
    for op, account in accounts.items():
        if account.offence is not None:
            yield account.offence
        elif not account.closed and not cut_short:
            yield _lost(op, account.events)


def _lost(op: str, events: dict[str, Event]) -> Offence:
    submitted = events["action.submitted"]
    missing = "settled" if "action.settled" not in events else "answered its caller"
    told = f"{op} was submitted {at(submitted)}"
    if (started := events.get("action.started")) is not None:
        told += f", started {at(started)}"
    return Offence(f"{told} and never {missing}", tuple(event.seq for event in events.values()))


def _seqs(*events: Event) -> tuple[int, ...]:
    return tuple(event.seq for event in events)
