"""Samples: the single measurements of a metric, taken from a finished trace.

Each function below takes the trace and a selection of operations, and yields one sample per
operation, request, command or period. Imports the lifecycles, the selection, the pairing and
`windtunnel.trace`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, NamedTuple

from windtunnel.checks.lifecycles import Lifecycle, lifecycles
from windtunnel.checks.moments import end_of
from windtunnel.checks.pairing import pairs
from windtunnel.checks.selection import selects
from windtunnel.trace import Event, Outcome, Trace
from windtunnel.units import SECOND

Selection = tuple[str, ...]
Phase = Literal["submitted", "started", "settled", "answered"]

_NO_FIELDS: Final[Mapping[str, Any]] = {}


class Sample(NamedTuple):
    """One measurement: of a duration in nanoseconds, else a plain number."""

    value: float
    start: Event
    end: Event | None
    """None where it still went on at the end of the run: `value` is the time up to then."""
    fields: Mapping[str, Any] = _NO_FIELDS
    """What `where` may ask for; absent where it does not apply or is not known."""
    final: bool = True
    """Whether every field that will ever be known is known."""

    def fits(self, where: Mapping[str, str]) -> bool | None:
        """Tell whether every field has the value asked for; None where that may yet come."""
        known = True
        for name, wanted in where.items():
            value = self.fields.get(name)
            if value is None and not self.final:
                known = False
            elif _text(value) != wanted:
                return False
        return True if known else None


def _text(value: Any) -> str:  # noqa: ANN401 - any JSON value
    """Return a value as a scenario file writes it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass(slots=True)
class Request:
    """One call of a route: its events, brought together by its id."""

    received: Event
    submitted: Event | None = None
    """The first action that came of it."""
    answered: Event | None = None


# ---------------------------------------------------------------- operations


def spans(trace: Trace, of: Selection, *, begin: Phase, finish: Phase) -> Iterator[Sample]:
    """Yield the time from one phase of each operation to a later one (UI-Q11, UI-K2).

    One that settled without `finish` has none; one that still waits for it counts up to the end.
    """
    for life in lifecycles(trace, of).values():
        started: Event | None = getattr(life, begin)
        ended: Event | None = getattr(life, finish)
        if started is None or (ended is None and finish == "started" and life.settled):
            continue
        yield _sample(trace, life, started, ended)


def waits_to_last_start(trace: Trace, of: Selection) -> Iterator[Sample]:
    """Yield the time from each operation's submission to its last start: starts may repeat.

    One that has not settled may start again: what is known of it is a lower bound.
    """
    lives, last = lifecycles(trace, of), {e.op: e for e in trace.of("action.started")}
    for op, life in lives.items():
        if life.settled is None:
            until = last[op].time if op in last else end_of(trace)
            yield _sample(trace, life, life.submitted, None)._replace(
                value=until - life.submitted.time
            )
        elif op in last:
            yield _sample(trace, life, life.submitted, last[op])


def throughput(trace: Trace, of: Selection) -> Iterator[Sample]:
    """Yield one figure: operations that ended done, per second, from first submission to last end.

    None where nothing ended so, or all at the instant of the first submission.
    """
    lives = list(lifecycles(trace, of).values())
    ends = [e for life in lives if (e := life.settled) and e.outcome == Outcome.DONE]
    if not ends:
        return
    first, last = lives[0].submitted, max(ends)
    if last.time > first.time:
        yield Sample(len(ends) * SECOND / (last.time - first.time), first, last)


def _sample(trace: Trace, life: Lifecycle, start: Event, end: Event | None) -> Sample:
    length = (end.time if end else end_of(trace)) - start.time
    return Sample(length, start, end, _fields_of(life), bool(life.settled and life.answered))


def _fields_of(life: Lifecycle) -> Mapping[str, Any]:
    settled, told = life.settled, life.answered
    codes = [event.details.get("code") for event in (told, settled) if event is not None]
    return {
        "outcome": settled.outcome if settled else None,
        "told": told.outcome if told else None,
        "code": next((code for code in codes if code), None),
    }


# ---------------------------------------------------------------- requests


def responses(trace: Trace, of: Selection) -> Iterator[Sample]:
    """Yield the time from each request's arrival to its answer (UI-K5)."""
    for request in requests(trace, of).values():
        yield _of_request(trace, request, request.answered)


def probes(trace: Trace, of: Selection) -> Iterator[Sample]:
    """Yield the time from each request's arrival to its action's submission (UI-C3).

    A request that was answered without an action has none.
    """
    for request in requests(trace, of).values():
        if request.submitted is not None or request.answered is None:
            yield _of_request(trace, request, request.submitted)


def requests(trace: Trace, of: Selection = ()) -> dict[str, Request]:
    """Return the requests of a selection (route classes, ids) by id, in the order of arrival."""
    found: dict[str, Request] = {}
    for event in trace.of("request.received", "action.submitted", "request.answered"):
        if event.kind == "request.received":
            if selects(of, event.op, event.class_):
                found.setdefault(event.op, Request(event))
        elif (request := found.get(event.op)) is None:
            continue
        elif event.kind == "action.submitted":
            request.submitted = request.submitted or event
        else:
            request.answered = request.answered or event
    return found


def _of_request(trace: Trace, request: Request, end: Event | None) -> Sample:
    length = (end.time if end else end_of(trace)) - request.received.time
    answer = request.answered
    fields = {} if answer is None else {"outcome": answer.outcome, **answer.details}
    return Sample(length, request.received, end, fields, answer is not None)


# ---------------------------------------------------------------- commands, locks, periods


def commands(trace: Trace, of: Selection) -> Iterator[Sample]:
    """Yield the time that each command took."""
    kinds = ("command.started", "command.ended")
    for start, end in pairs(trace.of(*kinds), kinds[0], _command_key):
        if selects(of, start.op, start.class_):
            fields = {
                "command": start.details.get("command"),
                "resource": start.resource,
                "outcome": end.outcome if end else None,
            }
            yield _period(trace, start, end)._replace(fields=fields, final=end is not None)


def lock_waits(trace: Trace, of: Selection) -> Iterator[Sample]:
    """Yield each wait for the UI lock: one that got it at once waited for nothing, and has none.

    A selection holds it by the operation's id, or by the class of its action or request (UI-C3).
    """
    classes: dict[str, list[str]] = defaultdict(list)
    for event in trace.of("action.submitted", "request.received"):
        classes[event.op].append(event.class_)
    for event in trace.of("lock.waited"):
        names = [event.class_, *classes.get(event.op, ())]
        if any(selects(of, event.op, name) for name in names):
            yield Sample(event.details["waited"], event, event)


def drains(trace: Trace, of: Selection) -> Iterator[Sample]:
    """Yield the time that each drain took (UI-Q9, UI-K3)."""
    del of
    kinds = ("drain.started", "drain.ended")
    for start, end in pairs(trace.of(*kinds), kinds[0], lambda event: (event.op, event.actor)):
        fields = {"drained": end.details.get("drained")} if end else _NO_FIELDS
        yield _period(trace, start, end)._replace(fields=fields, final=end is not None)


def outages(trace: Trace, of: Selection) -> Iterator[Sample]:
    """Yield each time without WeChat's window, from its going to its being there again (UI-F2)."""
    del of
    gone: Event | None = None
    for event in trace.of("wechat.gone", "wechat.shown"):
        if event.kind == "wechat.gone":
            gone = gone or event
        elif gone is not None:
            yield _period(trace, gone, event)
            gone = None
    if gone is not None:
        yield _period(trace, gone, None)


def pending(trace: Trace, of: Selection) -> Iterator[Sample]:
    """Yield how many were queued each time that the scheduler took an entry, with it."""
    classes = {event.op: event.class_ for event in trace.of("action.submitted")}
    for event in trace.of("action.queued"):
        if selects(of, event.op, classes.get(event.op, "")):
            yield Sample(event.details["pending"], event, event)


def _period(trace: Trace, start: Event, end: Event | None) -> Sample:
    return Sample((end.time if end else end_of(trace)) - start.time, start, end)


def _command_key(event: Event) -> tuple[object, ...]:
    details = event.details
    return event.op, event.class_, details.get("step"), details.get("command")
