"""The check `mutual_exclusion`: commands on one resource never overlap (UI-L1)."""

from __future__ import annotations

import math
from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.trace import Event, Trace
from windtunnel.units import format_duration


class MutualExclusionArgs(CheckArgs):
    """Which resource is used by one at a time."""

    resource: str = "display"


@dataclass(slots=True)
class Command:
    """One command's time on the resource; one that never ended lasts to the end of the run."""

    started: Event
    ended: Event | None = None

    @property
    def end(self) -> float:
        """Return the instant it ended, ns, or infinity."""
        return math.inf if self.ended is None else self.ended.time

    def __str__(self) -> str:
        begun, details = self.started, self.started.details
        until = "the end of the run" if self.ended is None else format_duration(self.ended.time)
        return f"{details.get('command')} of {begun.op} ({format_duration(begun.time)} to {until})"


_ENDS, _PASSES, _BEGINS = range(3)
"""At one instant: what ends makes room first, an empty interval falls between, then what begins."""

_KINDS: Final = ("command.started", "command.ended")
Identity = tuple[str, str, object, object]


@register("mutual_exclusion", MutualExclusionArgs)
def mutual_exclusion(trace: Trace, args: MutualExclusionArgs, context: Context) -> CheckResult:
    """Command intervals [started, ended) on one resource never overlap (UI-L1).

    Two overlap when each begins before the other ends; one may begin at the very instant at which
    another ends. Whose commands they are does not matter: probes and captures count. Measured: the
    number of overlapping pairs. Vacuous without a command on the resource.
    """
    del context
    events = [event for event in trace.of(*_KINDS) if event.resource == args.resource]
    if not events:
        return CheckResult(Verdict.VACUOUS, f"no command used {args.resource}")
    if _one_at_a_time(events):
        return CheckResult(Verdict.PASS, f"{args.resource}: one command at a time", measured=0)
    commands = _commands(events)
    first: tuple[Command, Command] | None = None
    pairs = 0
    inside: dict[int, Command] = {}
    for command, edge in _edges(commands):
        if edge == _ENDS:
            del inside[id(command)]
            continue
        if inside and first is None:
            first = next(iter(inside.values())), command
        pairs += len(inside)
        if edge == _BEGINS:
            inside[id(command)] = command
    if first is None:
        return CheckResult(Verdict.PASS, f"{args.resource}: one command at a time", measured=0)
    early, late = first
    return CheckResult(
        Verdict.FAIL,
        f"{late} began on {args.resource} during {early}; {pairs} such overlaps",
        _witness(early, late),
        pairs,
    )


def _one_at_a_time(events: list[Event]) -> bool:
    """Tell whether each command ends before the next begins in the trace: the usual case, fast."""
    running: Event | None = None
    for event in events:
        if event.kind != "command.ended":
            if running is not None:
                return False
            running = event
        elif running is not None and _is_end_of(running, event):
            running = None
    return True


def _is_end_of(started: Event, ended: Event) -> bool:
    if started.details is ended.details:  # as our own worlds have it
        return started.op == ended.op and started.class_ == ended.class_
    return _identity(started) == _identity(ended)


def _identity(event: Event) -> Identity:
    """Return what a command's start and end have in common; a probe bears its request's id."""
    details = event.details
    return event.op, event.class_, details.get("step"), details.get("command")


def _commands(events: list[Event]) -> list[Command]:
    """Return the commands in the order in which they began."""
    commands: list[Command] = []
    running: defaultdict[Identity, deque[Command]] = defaultdict(deque)
    for event in events:
        same = running[_identity(event)]
        if event.kind == "command.started":
            commands.append(Command(event))
            same.append(commands[-1])
        elif same:
            same.popleft().ended = event
    return commands


def _edges(commands: list[Command]) -> Iterator[tuple[Command, int]]:
    edges: list[tuple[float, int, int]] = []
    for number, command in enumerate(commands):
        begin, end = command.started.time, command.end
        if begin == end:
            edges.append((begin, _PASSES, number))
        else:
            edges += (begin, _BEGINS, number), (end, _ENDS, number)
    edges.sort()  # nearly sorted as it is: the trace is in the order of time
    return ((commands[number], edge) for _, edge, number in edges)


def _witness(early: Command, late: Command) -> tuple[int, ...]:
    ends = (command.ended for command in (early, late))
    return (early.started.seq, late.started.seq, *(end.seq for end in ends if end is not None))
