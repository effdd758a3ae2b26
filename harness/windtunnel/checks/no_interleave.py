"""The check `no_interleave`: no flow's commands fall inside another flow (UI-L2)."""

from __future__ import annotations

from collections import OrderedDict
from itertools import groupby
from operator import attrgetter
from typing import Annotated, Final, NamedTuple

from annotated_types import MinLen

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.moments import at
from windtunnel.checks.selection import Classes
from windtunnel.trace import Event, Trace

_COMMANDS: Final = ("command.started", "command.ended")
_ACTIONS: Final = ("action.started", "action.settled")
_BEGINS: Final = ("command.started", "action.started")


class NoInterleaveArgs(CheckArgs):
    """Whose flows keep apart."""

    flows: Annotated[Classes, MinLen(1)]


class Intrusion(NamedTuple):
    """A step of one flow that began between two steps of another."""

    step: Event
    before: Event
    """The other flow's step before it."""


@register("no_interleave", NoInterleaveArgs)
def no_interleave(trace: Trace, args: NoInterleaveArgs, context: Context) -> CheckResult:
    """No command of one flow lies between the first and the last command of another (UI-L2).

    Flows are operations of the named classes. In a class of which no operation runs commands (its
    actions are given by their duration) an operation is one step, from its start to its end.
    Measured: the number of commands (or such steps) that began inside another flow. Vacuous where
    fewer than two of these operations ran.
    """
    del context
    steps = _steps(trace, frozenset(args.flows))
    if (flows := _in_one_piece_each(steps)) > 1:
        return _passed(flows)
    ran = {event.op for event in steps if event.kind in _BEGINS}
    steps = [event for event in steps if event.op in ran]
    ends = _ends(steps, len(trace))
    if len(ends) < 2:  # noqa: PLR2004 - two flows make a pair
        names = ", ".join(args.flows)
        return CheckResult(Verdict.VACUOUS, f"fewer than two operations of {names} ran")
    intrusions = _intrusions(steps, ends)
    if not intrusions:
        return _passed(len(ends))
    return _failure(intrusions)


def _passed(flows: int) -> CheckResult:
    return CheckResult(Verdict.PASS, f"{flows} flows, each in one piece", measured=0)


def _steps(trace: Trace, flows: frozenset[str]) -> list[Event]:
    """Return what begins and ends the steps of the flows, in order."""
    commands = [event for event in trace.of(*_COMMANDS) if event.class_ in flows]
    rest = flows.difference(map(attrgetter("class_"), commands))
    if not rest:
        return commands
    actions = (event for event in trace.of(*_ACTIONS) if event.class_ in rest)
    return sorted((*commands, *actions))


def _in_one_piece_each(steps: list[Event]) -> int:
    """Return how many flows there are if each is over before the next begins: the usual case, fast.

    0 where they are not.
    """
    seen: set[str] = set()
    over = True
    for op, piece in groupby(steps, attrgetter("op")):
        first, *others = piece
        if not over or op in seen or first.kind not in _BEGINS:
            return 0
        seen.add(op)
        over = bool(others) and others[-1].kind not in _BEGINS
    return len(seen)


def _ends(steps: list[Event], never: int) -> dict[str, int]:
    """Return where each operation's last step ends; one that did not end lasts for good."""
    return {step.op: never if step.kind in _BEGINS else step.seq for step in steps}


def _intrusions(steps: list[Event], ends: dict[str, int]) -> list[Intrusion]:
    intrusions: list[Intrusion] = []
    inside: OrderedDict[str, Event] = OrderedDict()  # finds its first at once, however it shrank
    for step in steps:
        if step.kind in _BEGINS:
            other = next((last for op, last in inside.items() if op != step.op), None)
            if other is not None:
                intrusions.append(Intrusion(step, other))
        inside[step.op] = step
        if ends[step.op] == step.seq:
            del inside[step.op]
    return intrusions


def _failure(intrusions: list[Intrusion]) -> CheckResult:
    step, before = intrusions[0]
    return CheckResult(
        Verdict.FAIL,
        f"{_told(step)} began {at(step)} inside {before.class_} {before.op}, after its "
        f"{before.details.get('command', 'start')}; {len(intrusions)} such in all",
        (step.seq, before.seq),
        len(intrusions),
    )


def _told(step: Event) -> str:
    command = step.details.get("command")
    return f"{command} of {step.class_} {step.op}" if command else f"{step.class_} {step.op}"
