"""The check `transitions`: a state does not flap."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import Annotated

from pydantic import AfterValidator, Field, WithJsonSchema

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.fields import SubjectRef
from windtunnel.trace import Event, Trace
from windtunnel.units import HOUR, format_duration


def _is_a_kind(text: str) -> str:
    if not text.startswith("kind:"):
        raise ValueError(f"transitions are events: write kind:KIND, not {text!r}")
    return text


_SCHEMA = WithJsonSchema(
    {"type": "string", "pattern": r"^kind:[a-z._]+$", "examples": ["kind:wechat.login"]}
)


class TransitionsArgs(CheckArgs):
    """Which events, and how many an hour."""

    of: Annotated[SubjectRef, AfterValidator(_is_a_kind), _SCHEMA]
    """Events as `kind:KIND`."""
    max_per_hour: Annotated[int, Field(ge=0)]


@register("transitions", TransitionsArgs)
def transitions(trace: Trace, args: TransitionsArgs, context: Context) -> CheckResult:
    """At most `max_per_hour` changes happen in any sliding hour, half open [t, t + 1 h).

    Each event of the kind is a change, but for one that tells the state (`state`) that its
    resource is in already. A run shorter than an hour is looked at as it is: nothing is
    extrapolated. Measured: the most changes found in one hour. Vacuous where none happened.
    """
    del context
    recent: deque[Event] = deque()
    witness: tuple[int, ...] = ()
    most, first = 0, None
    for event in _changes(trace, args.of.removeprefix("kind:")):
        recent.append(event)
        while recent[0].time <= event.time - HOUR:
            recent.popleft()
        if len(recent) > most:
            most, first = len(recent), recent[0]
        if len(recent) > args.max_per_hour and not witness:
            witness = (event.seq, recent[0].seq)
    if first is None:
        return CheckResult(Verdict.VACUOUS, f"no {args.of} changed anything")
    first_at = format_duration(first.time)
    told = f"{most} of {args.of} within an hour, from {first_at}, allowed {args.max_per_hour}"
    return CheckResult(Verdict.FAIL if witness else Verdict.PASS, told, witness, most)


def _changes(trace: Trace, kind: str) -> Iterator[Event]:
    states: dict[str, object] = {}
    for event in trace.of(kind):
        state = event.details.get("state")
        if state is None or states.get(event.resource) != state:
            yield event
        states[event.resource] = state
