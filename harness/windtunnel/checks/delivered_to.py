"""The check `delivered_to`: what was sent went to whom it was meant for (UI-F4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from windtunnel.checks.base import CheckArgs, CheckResult, Context, Verdict, register
from windtunnel.checks.lifecycles import Lifecycle, lifecycles
from windtunnel.checks.moments import at
from windtunnel.checks.selection import Operations, selects
from windtunnel.trace import Event, Outcome, Trace


class DeliveredToArgs(CheckArgs):
    """Whose messages are looked at."""

    of: Operations = ()
    complete: bool = False
    """Each of these that ended done must have delivered something, too."""


class Wrong(NamedTuple):
    """A delivery that should not have been, or one that is missing, in words."""

    message: str
    witness: tuple[int, ...]


@register("delivered_to", DeliveredToArgs)
def delivered_to(trace: Trace, args: DeliveredToArgs, context: Context) -> CheckResult:
    """What an operation delivered has the receiver and the text that it was submitted with (UI-F4).

    It delivers once: a second message of one operation is wrong. So is, whatever `of` selects, a
    delivery by an operation that was not told whom to send to: a log-out's Return that sends a
    draft. What no operation sent (a person at the display) is passed over. With `complete` an
    operation that ended done and delivered nothing counts too. Measured: the number of wrong, and
    of missing, deliveries. Vacuous where nothing was delivered and nothing is missing.
    """
    del context
    lives = lifecycles(trace)
    sent: dict[str, Event] = {}
    wrong: list[Wrong] = []
    looked_at = 0
    for event in trace.of("message.delivered"):
        life = lives.get(event.op)
        if life is None or not _is_looked_at(life, args):
            continue
        looked_at += 1
        if told := _mistake(event, life, sent.get(event.op)):
            wrong.append(Wrong(told, (event.seq, life.submitted.seq)))
        sent.setdefault(event.op, event)
    if args.complete:
        wrong += _missing(lives, sent, args)
    if wrong:
        more = f"; {len(wrong)} such in all" if len(wrong) > 1 else ""
        return CheckResult(Verdict.FAIL, wrong[0].message + more, wrong[0].witness, len(wrong))
    if not looked_at:
        return CheckResult(Verdict.VACUOUS, "nothing was delivered")
    return CheckResult(Verdict.PASS, f"{looked_at} deliveries, each to its receiver", measured=0)


def _is_looked_at(life: Lifecycle, args: DeliveredToArgs) -> bool:
    submitted = life.submitted
    return not submitted.details.get("to") or selects(args.of, life.op, submitted.class_)


def _mistake(delivered: Event, life: Lifecycle, before: Event | None) -> str:
    """Return what is wrong with a delivery, or `""`."""
    who, asked = f"{life.submitted.class_} {life.op}", life.submitted.details
    text = delivered.details["text"]
    told = f"{text!r} went to {delivered.resource or 'nobody'} {at(delivered)}"
    if not (to := asked.get("to")):
        return f"{told}, sent by {who}, which sends nothing"
    if delivered.resource != to:
        return f"{told}, meant by {who} for {to}"
    if (wanted := asked.get("text")) and text != wanted:
        return f"{told}, where {who} was to send {wanted!r}"
    return f"{told} again: {who} had delivered {at(before)}" if before else ""


def _missing(
    lives: dict[str, Lifecycle], sent: dict[str, Event], args: DeliveredToArgs
) -> Iterator[Wrong]:
    for op, life in lives.items():
        settled, class_ = life.settled, life.submitted.class_
        done = settled is not None and settled.outcome == Outcome.DONE
        if settled is None or not done or op in sent or not selects(args.of, op, class_):
            continue
        told = f"{class_} {op} ended done {at(settled)} and delivered nothing"
        yield Wrong(told, (settled.seq, life.submitted.seq))
