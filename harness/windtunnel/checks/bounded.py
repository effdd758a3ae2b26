"""The check `bounded`: the time from one event to another lies within bounds."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple, Self

from pydantic import Field, model_validator

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.moments import at, end_of, find
from windtunnel.checks.selection import entry_id
from windtunnel.event_names import PHASES, EventName
from windtunnel.fields import Duration, EachEventRef
from windtunnel.trace import Event, Trace
from windtunnel.units import format_duration, to_seconds

Occurrences = dict[str, list[Event]]
"""The events that a name means, by the operation's number (`.2`), `""` where it has none."""


class BoundedArgs(CheckArgs):
    """Between which events, and how long it may take."""

    from_: EachEventRef = Field(alias="from")
    to: EachEventRef
    max: Duration | None = None
    min: Duration | None = None

    @model_validator(mode="after")
    def _has_a_bound(self) -> Self:
        if self.max is None and self.min is None:
            raise ValueError("say how long: `max` or `min`")
        return self

    def loosened(self, tolerance: int) -> Self:
        """Return it with its bounds further apart."""
        wide = (("max", self.max, tolerance), ("min", self.min, -tolerance))
        return self.model_copy(update={name: b + by for name, b, by in wide if b is not None})


class Sample(NamedTuple):
    """One time measured, ns; without `end` it is the time waited up to the end of the run."""

    length: int
    start: Event
    end: Event | None

    def breaks(self, args: BoundedArgs) -> bool:
        """Tell whether it is out of bounds whatever would come after the end of the run."""
        too_long = args.max is not None and self.length > args.max
        too_short = self.end is not None and self.length < (args.min or 0)
        return too_long or too_short

    def undecided(self, args: BoundedArgs) -> bool:
        """Tell whether what would come after the end of the run could break a bound."""
        return self.end is None and (args.max is not None or self.length < (args.min or 0))


@register("bounded", BoundedArgs)
def bounded(trace: Trace, args: BoundedArgs, context: Context) -> CheckResult:
    """From one event to the next `to` it takes at most `max` and at least `min` (UI-K2, UI-K3).

    Phases over a repeat are timed per operation (`send.submitted` to `send.started`); a single
    event is timed with each of them. An operation that settles without reaching `to` waits no
    longer and is passed over, and so is a request that is answered without an action. What still
    waits at the end counts with the time it has waited: within bounds so far it makes the verdict
    unknown, after a deadlock a failure. A `to` that came before its `from` is out of bounds.
    Measured: the longest time in seconds where `max` is given, else the shortest. Vacuous where
    there is nothing to time.
    """
    samples = list(_samples(trace, args))
    if not samples:
        return CheckResult(
            Verdict.VACUOUS, f"nothing goes from {args.from_.text} to {args.to.text}"
        )
    worst = _worst(samples, args)
    broken = [sample for sample in samples if sample.breaks(args)]
    waiting = [sample for sample in samples if sample.undecided(args)]
    if broken or (waiting and context.end.reason == "deadlock"):
        verdict, shown = Verdict.FAIL, _worst(broken or waiting, args)
    elif waiting:
        verdict, shown = Verdict.UNKNOWN, _worst(waiting, args)
    else:
        verdict, shown = Verdict.PASS, worst
    told = f"{_told(shown, args)}; {len(samples)} timed, {len(broken)} out of bounds"
    witness = tuple(event.seq for event in (shown.end, shown.start) if event is not None)
    return CheckResult(verdict, told, witness, to_seconds(worst.length))


def _worst(samples: Iterable[Sample], args: BoundedArgs) -> Sample:
    choose = min if args.max is None else max
    return choose(samples, key=lambda sample: sample.length)


def _told(sample: Sample, args: BoundedArgs) -> str:
    who = sample.start.op or args.from_.text
    length = format_duration(sample.length)
    last = f"to {args.to.text} {at(sample.end)}" if sample.end else f"and no {args.to.text} yet"
    bounds = (("at most", args.max), ("at least", args.min))
    allowed = " and ".join(f"{w} {format_duration(b)}" for w, b in bounds if b is not None)
    return f"{who}: {length} from {args.from_.text} {at(sample.start)} {last}, allowed {allowed}"


def _samples(trace: Trace, args: BoundedArgs) -> Iterator[Sample]:
    starts, ends = _occurrences(trace, args.from_), _occurrences(trace, args.to)
    over, last = _over(trace, args.to), end_of(trace)
    own = args.from_.id == args.to.id and _of_each(args.from_) and _of_each(args.to)
    for number in _numbers(trace, args.to, starts):
        first = starts.get(number) or starts.get("")
        if not first:
            continue
        start = first[0]
        known = ends.get(number) or ([] if own else ends.get("", []))
        following = bisect_right(known, start.seq, key=lambda event: event.seq)
        if following < len(known):
            yield Sample(known[following].time - start.time, start, known[following])
        elif known and not args.to.kind:
            if number in starts:
                yield Sample(known[-1].time - start.time, start, known[-1])
        elif (args.to.op + number) not in over:
            yield Sample(last - start.time, start, None)


def _occurrences(trace: Trace, name: EventName) -> Occurrences:
    if name.kind:
        return {"": list(trace.of(name.kind))}
    if not _of_each(name):
        event = find(trace, name)
        return {} if event is None else {"": [event]}
    found: Occurrences = {}
    for event in trace.of(*name.kinds):
        if entry_id(event.op) == name.id:
            found.setdefault(event.op.removeprefix(name.id), [event])
    return found


def _of_each(name: EventName) -> bool:
    """Tell whether a name means one event of each operation of an entry."""
    return bool(name.phase) and name.index is None


def _numbers(trace: Trace, to: EventName, starts: Occurrences) -> Iterable[str]:
    """Return the numbers of the operations to be timed; `""` alone where only one event is."""
    if starts.keys() - {""} or not _of_each(to):
        return starts.keys()
    begun = trace.of(*PHASES["submitted"], *PHASES["requested"], *PHASES["injected"])
    ops = (event.op for event in begun if entry_id(event.op) == to.id)
    return dict.fromkeys(op.removeprefix(to.id) for op in ops)


def _over(trace: Trace, to: EventName) -> frozenset[str]:
    """Return the operations that will never come to `to` if they have not by now."""
    if to.kind:
        return frozenset()
    if to.phase in ("answered", "responded", "undone"):
        ends = {event.op for event in trace.of(*PHASES[to.phase])}
    else:
        ends = {event.op for event in trace.of(*PHASES["settled"], *PHASES["undone"])}
        refused = {event.op for event in trace.of(*PHASES["responded"])}
        ends |= refused.difference(event.op for event in trace.of(*PHASES["submitted"]))
    return frozenset(ends)
