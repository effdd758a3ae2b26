"""The check `answer`: what the callers of operations are told (UI-Q5 to Q8)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, Literal, Self

from annotated_types import MinLen
from pydantic import model_validator

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.lifecycles import Lifecycle, OutcomeName, lifecycles, requests
from windtunnel.checks.moments import at
from windtunnel.checks.selection import Operations
from windtunnel.fields import Duration
from windtunnel.trace import Event, Trace
from windtunnel.units import format_duration

_DETAILS: Final = ("retry_after", "phase", "status")


class AnswerArgs(CheckArgs):
    """Whose callers, and what each of them is told."""

    of: Annotated[Operations, MinLen(1)]
    outcome: OutcomeName | None = None
    code: str | None = None
    """The error's code."""
    retry_after: int | None = None
    """Seconds."""
    status: int | None = None
    """What HTTP calls it; of requests only."""
    phase: Literal["queued", "running"] | None = None
    """Where the operation was when the wait timed out."""
    at: Duration | None = None
    """When the caller is told."""
    tolerance: Duration = 0
    """By how much `at` may be missed."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.wanted and self.at is None:
            raise ValueError(f"say what is told: outcome, code, {', '.join(_DETAILS)} or at")
        return self

    def loosened(self, tolerance: int) -> Self:
        """Return it with so much more tolerance."""
        return self.model_copy(update={"tolerance": self.tolerance + tolerance})

    @property
    def wanted(self) -> Mapping[str, Any]:
        """Return the parts of the answer that are asked for."""
        parts = {name: getattr(self, name) for name in ("outcome", "code", *_DETAILS)}
        return {name: value for name, value in parts.items() if value is not None}


@register("answer", AnswerArgs)
def answer(trace: Trace, args: AnswerArgs, context: Context) -> CheckResult:
    """Every caller of these operations is told exactly this (UI-Q5, UI-Q6, UI-Q7, UI-Q8, UI-Q13).

    A request has a caller of its own: `route.NAME` means them, an id the request of which no action
    came. One that has not been told at the end differs too, unless a limit cut the run short, or a
    background service is to be told: no run waits for that. Measured: the number of callers whose
    answer differs. Vacuous where none was submitted, or none is to have been told.
    """
    lives = lifecycles(trace, args.of) | requests(trace, args.of)
    if not lives:
        return CheckResult(Verdict.VACUOUS, f"no {', '.join(args.of)} was submitted")
    cut_short = context.end.reason == "limit"
    lives = {
        op: life
        for op, life in lives.items()
        if life.answered is not None or not (cut_short or life.background)
    }
    if not lives:
        return CheckResult(Verdict.VACUOUS, "nobody had been told when the run ended")
    wrong = [(life, told) for life in lives.values() if (told := _difference(life, args))]
    if not wrong:
        return CheckResult(Verdict.PASS, f"{len(lives)} callers were told so", measured=0)
    life, told = wrong[0]
    return CheckResult(
        Verdict.FAIL,
        f"the caller of {life.op} was {told}; {len(wrong)} of {len(lives)} differ",
        ((life.answered or life.submitted).seq,),
        len(wrong),
    )


def _difference(life: Lifecycle, args: AnswerArgs) -> str:
    """Return what is wrong with an answer, or `""`."""
    if life.answered is None:
        return "never told anything"
    wrong = ", ".join(_misses(life.answered, args))
    return f"told {at(life.answered)}: {wrong}" if wrong else ""


def _misses(told: Event, args: AnswerArgs) -> Iterator[str]:
    given = {**told.details, "outcome": told.outcome}
    for name, value in args.wanted.items():
        if given.get(name) != value:
            yield f"{name} {given.get(name, 'none')}, expected {value}"
    if args.at is not None and abs(told.time - args.at) > args.tolerance:
        yield f"expected at {format_duration(args.at)}"
