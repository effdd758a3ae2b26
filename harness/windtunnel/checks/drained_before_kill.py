"""The check `drained_before_kill`: nobody's flow is cut off by a kill (UI-W2)."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.lifecycles import BOUNDARY, Lifecycle
from windtunnel.checks.moments import at
from windtunnel.trace import Event, Trace

_KINDS: Final = ("process.killed", "drain.ended", "command.started", "fault.injected")
_KILLS: Final = ("kill", "terminate")


class DrainedBeforeKillArgs(CheckArgs):
    """Whose kills are looked at."""

    resource: str = "wechat"


@dataclass(slots=True)
class Queue:
    """What the scheduler has in hand at a moment of the trace."""

    submitted: dict[str, Lifecycle] = field(default_factory=dict)
    """Every operation seen so far, those past the scheduler too."""
    waiting: OrderedDict[str, Lifecycle] = field(default_factory=OrderedDict)
    """Through the scheduler, not settled and not started."""
    running: OrderedDict[str, Lifecycle] = field(default_factory=OrderedDict)
    """Through the scheduler, started and not settled."""
    drain: Event | None = None
    """The last that ended; those before the last kill served that one."""
    kill: Event | None = None
    """The last that was to be drained for."""

    def enter(self, event: Event) -> None:
        """Take in an event of the boundary or a drain's end."""
        op = event.op
        match event.kind:
            case "drain.ended":
                self.drain = event
            case "action.submitted":
                life = self.submitted.setdefault(op, Lifecycle(event))
                if life.queued:
                    self.waiting[op] = life
            case "action.started" if op in self.waiting:
                self.running[op] = self.waiting.pop(op)
            case "action.settled":
                self.waiting.pop(op, None)
                self.running.pop(op, None)

    def enter_kill(self, kill: Event) -> None:
        """Take in a kill; several of one instant or of one killer are one."""
        if kill.op in self.submitted:
            return
        before = self.kill
        same = before and (before.time == kill.time or (kill.op and before.op == kill.op))
        if before and self.drain and self.drain.seq < before.seq and not same:
            self.drain = None
        self.kill = kill

    def cut_off(self, kill: Event) -> Lifecycle | None:
        """Return an operation that runs at a kill and may not: no drain has given up on it."""
        gave_up = self.drain if self.drain and not self.drain.details.get("drained") else None
        if kill.op in self.submitted:
            gave_up = None  # an operation has its own turn: it does not wait for a drain
        for op, life in self.running.items():
            if op != kill.op and (gave_up is None or life.submitted.seq > gave_up.seq):
                return life
        return None

    def fault(self, kill: Event) -> tuple[str, tuple[int, ...]] | None:
        """Return what is wrong with a kill, and the events that show it, or None."""
        cut_off = self.cut_off(kill)
        if cut_off is not None:
            begun = cut_off.submitted
            told = f"while {begun.class_} {cut_off.op}, submitted {at(begun)}, ran"
            if self.drain is not None:
                told += f"; a drain had ended {at(self.drain)}"
            return told, (kill.seq, begun.seq)
        if self.waiting and self.drain is None and kill.op not in self.submitted:
            first = next(iter(self.waiting.values())).submitted
            told = f"without a drain, {len(self.waiting)} queued, {first.class_} {first.op} first"
            return told, (kill.seq, first.seq)
        return None


@register("drained_before_kill", DrainedBeforeKillArgs)
def drained_before_kill(trace: Trace, args: DrainedBeforeKillArgs, context: Context) -> CheckResult:
    """Before a kill the queue is drained, and nothing that it held is cut off (UI-W2, UI-I3).

    At a kill of the resource no operation runs that went through the scheduler, unless a drain
    that ended since the kill before, and after that operation's submission, had timed out: UI-W2
    allows that kill. And where something is queued or running, a drain has ended since the kill
    before. An operation that kills (a restart) has its own turn and drains nothing; only that no
    other runs is asked of it. A fault's kill does not count. Measured: the number of kills that
    break this. Vacuous without a kill that counts.
    """
    del context
    queue = Queue()
    cause: Event | None = None
    wrong: list[tuple[str, tuple[int, ...]]] = []
    faults: set[str] = set()
    kills = 0
    for event in trace.of(*BOUNDARY, *_KINDS):
        if event.kind in ("command.started", "fault.injected"):
            cause = event
            if event.kind == "fault.injected":
                faults.add(event.op)
            continue
        if event.kind != "process.killed":
            queue.enter(event)
            continue
        kill = _attributed(event, cause)
        if kill.resource != args.resource or kill.actor == "fault" or kill.op in faults:
            continue
        kills += 1
        queue.enter_kill(kill)
        if found := queue.fault(kill):
            wrong.append((f"{args.resource} was killed {at(event)} {found[0]}", found[1]))
    if wrong:
        told, witness = wrong[0]
        return CheckResult(
            Verdict.FAIL, f"{told}; {len(wrong)} of {kills} kills", witness, len(wrong)
        )
    if not kills:
        return CheckResult(Verdict.VACUOUS, f"nothing but a fault killed {args.resource}")
    return CheckResult(Verdict.PASS, f"{kills} kills, nothing cut off", measured=0)


def _attributed(kill: Event, cause: Event | None) -> Event:
    """Return a kill with who did it.

    A world that does not say so records it right after the fault, or the begin of the command.
    """
    if kill.op or kill.actor or cause is None or cause.time != kill.time:
        return kill
    by_it = cause.kind == "fault.injected" or cause.details.get("command") in _KILLS
    return kill._replace(op=cause.op, actor=cause.actor) if by_it else kill
