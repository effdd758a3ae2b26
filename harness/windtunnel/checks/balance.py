"""The check `balance`: at every instant the places of all tasks add up (RT-R3, F-R9)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Final

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.conservation import CUT_SHORT
from windtunnel.checks.moments import at
from windtunnel.checks.places import PARTIES, Clash, Ledger
from windtunnel.trace import Event, Outcome, Trace

BOOKS: Final = "backend"
"""The party whose places hold every task, from its submission to its end."""
_NAMED: Final = 3
"""How many tasks a message names."""


class BalanceArgs(CheckArgs):
    """The balance is one of all tasks: there is nothing to choose."""


@dataclass(slots=True)
class Audit:
    """The ledgers of all parties beside what was submitted."""

    ledgers: dict[str, Ledger] = field(
        default_factory=lambda: {host: Ledger(party) for host, party in PARTIES.items()}
    )
    submitted: dict[str, Event] = field(default_factory=dict)
    unstored: dict[str, Event] = field(default_factory=dict)
    """Submitted, and not in the backend's books yet."""
    refused: int = 0
    """Submitted, and turned away before they were in its books."""
    wrong: dict[str, Clash] = field(default_factory=dict)
    """Task → its first clash, in the order of the trace."""
    moves: int = 0

    def enter(self, event: Event) -> None:
        """Take in a submission, an end or a move."""
        op = event.op
        if event.kind == "action.submitted":
            self.submitted.setdefault(op, event)
            self.unstored.setdefault(op, event)
        elif event.kind == "action.settled":
            if event.outcome == Outcome.REJECTED and op in self.unstored:
                del self.unstored[op]
                self.refused += 1
        elif (ledger := self.ledgers.get(event.actor)) is not None:
            self._move(event, ledger)

    def _move(self, event: Event, ledger: Ledger) -> None:
        self.moves += 1
        clash = ledger.enter(event)
        op = event.op
        if event.actor == BOOKS:
            self.unstored.pop(op, None)
            if op not in self.submitted and clash is None:
                clash = Clash(f"{op} was never submitted", (event.seq,))
        if clash is not None and op not in self.wrong:
            told = f"{at(event)}: {clash.told}; {self._sums(event.actor)}"
            self.wrong[op] = Clash(told, clash.witness)

    def _sums(self, host: str) -> str:
        """Return the figures, in words; in those of the backend it shows what does not add up."""
        ledger = self.ledgers[host]
        if host != BOOKS:
            return f"the {host} has {ledger.sums()}"
        unstored = f" + {len(self.unstored)} not stored yet" if self.unstored else ""
        submitted = len(self.submitted) - self.refused
        amiss = submitted - len(self.unstored) - sum(ledger.counts.values())
        word = f": {abs(amiss)} {'missing' if amiss > 0 else 'too many'}" if amiss else ""
        return f"{submitted} submitted = {ledger.sums()}{unstored}{word}"


@register("balance", BalanceArgs)
def balance(trace: Trace, args: BalanceArgs, context: Context) -> CheckResult:
    """At every instant each task submitted is in one place of the backend's store (RT-R3, F-R9).

    Submitted = waiting + sending + inside + outside + done + failed + expired, after every single
    move; those whose first move is still to come count beside. Nobody is in two places of a party,
    or leaves a place where it was not; what is done, failed or expired stays so, until it is
    trimmed, and never comes back. In the dispatcher's store a task is in at most one of pending,
    processing, offered and completed, and leaves it from offered (to the backend) or completed
    alone. A task that was never stored is lost where the run finished or broke down. Measured: the
    number of tasks that break this. Vacuous without `task.moved`.
    """
    del args
    audit = Audit()
    for event in trace.of("action.submitted", "action.settled", "task.moved"):
        audit.enter(event)
    if not audit.moves:
        return CheckResult(Verdict.VACUOUS, "no task moved")
    if context.end.reason not in CUT_SHORT:
        for op, event in audit.unstored.items():
            told = f"{op} was submitted {at(event)} and never stored"
            audit.wrong.setdefault(op, Clash(told, (event.seq,)))
    if audit.wrong:
        return _failure(audit.wrong)
    told = f"{audit.moves} moves of {len(audit.submitted)} tasks add up"
    return CheckResult(Verdict.PASS, told, measured=0)


def _failure(wrong: dict[str, Clash]) -> CheckResult:
    first, others = next(iter(wrong.values())), list(wrong)[1:]
    more = f"; then {_named(others)}" if others else ""
    return CheckResult(Verdict.FAIL, first.told + more, first.witness, len(wrong))


def _named(ops: Collection[str]) -> str:
    named = ", ".join(list(ops)[:_NAMED])
    return named + (f" and {len(ops) - _NAMED} more" if len(ops) > _NAMED else "")
