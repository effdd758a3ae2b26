"""The check `count`: how many operations came to something, or how many events there were."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Self

from pydantic import Field, model_validator

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.lifecycles import Lifecycle, OutcomeName, lifecycles, requests
from windtunnel.checks.moments import find
from windtunnel.fields import EventRef, SubjectRef
from windtunnel.kinds import KINDS
from windtunnel.trace import Event, Trace

_SHOWN = 4
"""How many of the counted events a witness holds."""


class CountArgs(CheckArgs):
    """What is counted, and how many there should be."""

    of: SubjectRef
    """A class, an id, or events as `kind:KIND`; `route.NAME` means requests."""
    outcome: OutcomeName | None = None
    """How the operation ended (of an event: its outcome)."""
    told: OutcomeName | None = None
    """What its caller was told."""
    code: str | None = None
    """The error's code: the caller's with `told`, the operation's with `outcome`, else either."""
    started: bool | None = None
    """Only operations that started, or only such as never did."""
    before: EventRef | None = None
    """Only what stands before this event in the trace."""
    after: EventRef | None = None
    """Only what stands after this event in the trace."""
    where: dict[str, str | int | float | bool] = Field(default_factory=dict)
    """Only events with these details (`windtunnel kinds` lists them), such as `{via: enqueue}`."""
    equals: int | None = None
    min: int | None = None
    max: int | None = None

    @model_validator(mode="after")
    def _says_how_many(self) -> Self:
        if (self.equals, self.min, self.max) == (None, None, None):
            raise ValueError("say how many: `equals`, `min` or `max`")
        if self.kind and (self.told, self.started) != (None, None):
            raise ValueError("`told` and `started` are about operations, not about events")
        self._require_details()
        return self

    def _require_details(self) -> None:
        if self.where and not self.kind:
            raise ValueError("`where` is about events: count them as `of: kind:KIND`")
        known = [name.removesuffix("?") for name in KINDS[self.kind].details] if self.where else []
        for name in self.where:
            if name not in known:
                has = f"it has {', '.join(known)}" if known else "it has none"
                raise ValueError(f"{self.of} has no detail `{name}`; {has}")

    @property
    def kind(self) -> str:
        """Return the kind of the events counted, or `""` where operations are."""
        return self.of.removeprefix("kind:") if self.of.startswith("kind:") else ""

    @property
    def filtered(self) -> bool:
        """Tell whether only some of the operations are counted."""
        chosen = (self.outcome, self.told, self.code, self.started, self.before, self.after)
        return any(value is not None for value in chosen)


@register("count", CountArgs)
def count(trace: Trace, args: CountArgs, context: Context) -> CheckResult:
    """So many operations were submitted, started or ended so; or so many events happened.

    What decides where an operation stands in the trace (`before`, `after`) is its last event
    asked for: caller told, ended, started, submitted, in this order (UI-AC5, UI-U1 to U8).
    Where a limit cut the run short, a figure that could still have come right is unknown.
    Measured: the count. Vacuous where `before` or `after` names an event that never happened, and
    where a filter is given and fits the figure only since nothing was submitted at all.
    """
    edges = {name: find(trace, name) for name in (args.after, args.before) if name is not None}
    for name, edge in edges.items():
        if edge is None:
            return CheckResult(Verdict.VACUOUS, f"{name.text} never happened")
    first = edges.get(args.after) if args.after else None
    last = edges.get(args.before) if args.before else None
    low, high = first.seq if first else -1, last.seq if last else len(trace)
    of = (args.of,)
    lives = {} if args.kind else lifecycles(trace, of) | requests(trace, of)
    operations = list(lives.values())
    events = _of_kind(trace, args) if args.kind else _of_operations(operations, args)
    result = _judged([event.seq for event in events if low < event.seq < high], args)
    if context.end.reason == "limit" and not _is_final(result, args, closed=last is not None):
        result = replace(result, verdict=Verdict.UNKNOWN)
    if result.verdict is Verdict.PASS and args.filtered and not args.kind and not operations:
        return CheckResult(Verdict.VACUOUS, f"no {args.of} was submitted", measured=result.measured)
    return result


def _judged(counted: list[int], args: CountArgs) -> CheckResult:
    figure = len(counted)
    told = f"{figure} of {args.of}{_described(args)}"
    if wrong := ", ".join(_misses(figure, args)):
        shown = tuple(counted[:_SHOWN])
        return CheckResult(Verdict.FAIL, f"{told}, expected {wrong}", shown, figure)
    return CheckResult(Verdict.PASS, told, measured=figure)


def _is_final(result: CheckResult, args: CountArgs, *, closed: bool) -> bool:
    """Tell whether a wrong figure stays wrong however the run goes on.

    Figures grow, unless nothing can come in any more, before an event that has happened; only
    the operations that have not started become fewer.
    """
    if args.started is False and (args.outcome, args.told) == (None, None):
        return False
    most = [bound for bound in (args.equals, args.max) if bound is not None]
    return closed or any((result.measured or 0) > bound for bound in most)


def _of_kind(trace: Trace, args: CountArgs) -> Iterator[Event]:
    for event in trace.of(args.kind):
        fits = args.outcome is None or event.outcome == args.outcome
        fits = fits and (args.code is None or event.details.get("code") == args.code)
        if fits and all(_same(event.details.get(key), value) for key, value in args.where.items()):
            yield event


def _same(found: object, wanted: object) -> bool:
    """Compare as the file writes it: `true` is not 1."""
    return found == wanted and isinstance(found, bool) == isinstance(wanted, bool)


def _of_operations(candidates: list[Lifecycle], args: CountArgs) -> Iterator[Event]:
    """Yield the event that decides for each operation that fits."""
    for life in candidates:
        decisive = _decisive(life, args)
        if decisive is not None:
            yield decisive


def _decisive(life: Lifecycle, args: CountArgs) -> Event | None:
    """Return the last event asked for, or None where the operation does not fit."""
    if args.started is not None and (life.started is not None) != args.started:
        return None
    decisive = life.started or life.submitted if args.started else life.submitted
    if args.outcome is not None:
        if life.settled is None or life.settled.outcome != args.outcome:
            return None
        decisive = life.settled
    if args.told is not None:
        if life.answered is None or life.answered.outcome != args.told:
            return None
        decisive = life.answered
    return decisive if args.code is None else _with_code(life, args)


def _with_code(life: Lifecycle, args: CountArgs) -> Event | None:
    ends = [] if args.told is not None else [life.settled]
    ends += [] if args.told is None and args.outcome is not None else [life.answered]
    fitting = (e for e in ends if e is not None and e.details.get("code") == args.code)
    return next(fitting, None)


def _misses(counted: int, args: CountArgs) -> Iterator[str]:
    if args.equals is not None and counted != args.equals:
        yield f"{args.equals}"
    if args.min is not None and counted < args.min:
        yield f"at least {args.min}"
    if args.max is not None and counted > args.max:
        yield f"at most {args.max}"


def _described(args: CountArgs) -> str:
    """Return the filters in words, such as ` (outcome done, before kind:process.killed)`."""
    words = {
        "outcome": args.outcome,
        "told": args.told,
        "code": args.code,
        "started": None if args.started is None else str(args.started).lower(),
        "after": args.after and args.after.text,
        "before": args.before and args.before.text,
        **args.where,
    }
    said = ", ".join(f"{name} {value}" for name, value in words.items() if value is not None)
    return f" ({said})" if said else ""
