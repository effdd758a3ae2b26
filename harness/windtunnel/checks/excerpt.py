"""An excerpt: the few events around a violation, as aligned lines for people.

Imports `windtunnel.trace` and `windtunnel.units`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, pairwise
from typing import Any, Final

from windtunnel.kinds import KINDS
from windtunnel.trace import Event, Trace
from windtunnel.units import SECOND, format_duration

LIMIT: Final = 12
"""The most lines that are shown of a long trace."""
WHOLE: Final = 20
"""A trace of so many events or fewer is shown whole."""
_WIDTH: Final = 60
"""The most characters that say what happened."""
_DIGITS: Final = (3, 6, 9)
_WITHIN: Final = 6
"""How far from a clash an event is still shown."""
_FIRST: Final = 4
"""Events shown of the beginning of an operation that never ended."""
_LAST: Final = 5
"""Events shown of the end of a trace in which something never happened."""
_ENDS: Final = ("caller.settled", "action.settled", "call.ended", "request.answered")
"""Kinds that end an operation."""
_BEGINS: Final = ("action.submitted", "action.started", "call.started", "request.received")
"""Kinds of an operation that one of those is to end."""
_START_UP: Final = frozenset({"startup.cleaned", "watchers.started"})
_START_UP_CLASS: Final = "bridge.start"
_START_UP_WITHIN: Final = 64
"""Events among which those of the start are looked for."""


def excerpt(
    trace: Trace, witness: tuple[int, ...], limit: int = LIMIT, whole: int = WHOLE
) -> tuple[str, ...]:
    """Return the events of a witness and what lies around them; those that clash bear a `>`.

    At most `limit` lines, but for a trace of `whole` events or fewer, which is shown whole. Where
    something never happened (no event is witness, or its operation never ended), the beginning of
    the operation and the end of the trace are shown. A line gives the time in seconds, the
    sequence number, the kind, the operation and what happened; `…` stands for events left out. The
    bridge's start is shown only where it is witness.
    """
    hidden = _start_up(trace) - set(witness)
    if len(trace) - len(hidden) <= whole:
        seqs = [seq for seq in range(len(trace)) if seq not in hidden]
    else:
        seqs = _chosen(trace, witness, hidden, limit)
    if not seqs:
        return ()
    digits = _digits([trace[seq] for seq in seqs])
    rows = [_cells(trace[seq], digits) for seq in seqs]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines: list[str] = []
    previous = None
    for seq, row in zip(seqs, rows, strict=True):
        if previous is not None and (left_out := _between(previous, seq, hidden)):
            lines.append(f"  … {left_out} more")
        lines.append(_line("> " if seq in witness else "  ", row, widths))
        previous = seq
    return tuple(lines)


def _start_up(trace: Trace) -> set[int]:
    """Return the events of the bridge's start, which say nothing of what a scenario does."""
    first = islice(trace, _START_UP_WITHIN)
    return {e.seq for e in first if e.kind in _START_UP or e.class_ == _START_UP_CLASS}


def _chosen(trace: Trace, witness: tuple[int, ...], hidden: set[int], limit: int) -> list[int]:
    """Take what is wanted, the most wanted first, while the lines suffice."""
    chosen: set[int] = set()
    for seq in _wanted(trace, witness):
        fits = 0 <= seq < len(trace) and seq not in hidden
        if fits and _lines(chosen | {seq}, hidden) <= limit:
            chosen.add(seq)
    return sorted(chosen)


def _wanted(trace: Trace, witness: tuple[int, ...]) -> Iterator[int]:
    yield from witness
    op = _unended(trace, witness)
    if op is None:
        yield from _neighbours(witness)
        return
    yield from range(len(trace) - 1, len(trace) - 1 - _LAST, -1)
    if op:
        yield from islice((event.seq for event in trace if event.op == op), _FIRST)


def _neighbours(witness: tuple[int, ...]) -> Iterator[int]:
    for distance in range(1, _WITHIN + 1):
        for seq in witness[:2]:
            yield seq - distance
            yield seq + distance


def _unended(trace: Trace, witness: tuple[int, ...]) -> str | None:
    """Return the operation of a witness that never ended, "" without witness, or else None."""
    if not witness:
        return ""
    if not 0 <= witness[0] < len(trace):
        return None
    first = trace[witness[0]]
    if first.kind not in _BEGINS or any(event.op == first.op for event in trace.of(*_ENDS)):
        return None
    return first.op


def _between(previous: int, seq: int, hidden: set[int]) -> int:
    """Return how many events are left out between two, the hidden ones not counted."""
    return seq - previous - 1 - sum(previous < one < seq for one in hidden)


def _lines(chosen: set[int], hidden: set[int]) -> int:
    """Return how many lines these events take, with those that stand for what is left out."""
    gaps = (_between(one, other, hidden) for one, other in pairwise(sorted(chosen)))
    return len(chosen) + sum(gap > 0 for gap in gaps)


def _digits(events: list[Event]) -> int:
    """Return how many decimals of a second show each time exactly; three at least."""
    exact = (n for n in _DIGITS if all(e.time % (SECOND // 10**n) == 0 for e in events))
    return next(exact, _DIGITS[-1])


def _cells(event: Event, digits: int) -> tuple[str, ...]:
    seconds, rest = divmod(abs(event.time), SECOND)
    sign = "-" if event.time < 0 else ""
    time = f"{sign}{seconds}.{rest:09d}"[: digits - 9 or None]
    return f"{time}s", f"#{event.seq}", event.kind, event.op or event.actor or "-", _what(event)


def _what(event: Event) -> str:
    """Return what happened: `type_text of send_text on display → done`."""
    details = dict(event.details)
    command = details.pop("command", "")
    details.pop("step", None)  # the command's name says more
    subject = f"{command} of {event.class_}" if command and event.class_ else event.class_
    place = f"on {event.resource}" if event.resource else ""
    outcome = f"→ {event.outcome}" if event.outcome else ""
    parts = (subject or command, place, outcome, _details(event.kind, details))
    text = " ".join(part for part in parts if part)
    return text if len(text) <= _WIDTH else text[: _WIDTH - 1] + "…"


def _details(kind: str, details: Mapping[str, Any]) -> str:
    given = ((name, value) for name, value in details.items() if value is not None)
    said = ", ".join(f"{name}={_shown(kind, name, value)}" for name, value in given)
    return f"({said})" if said else ""


def _shown(kind: str, name: str, value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """Return a detail as people read it: nanoseconds, says the table of kinds, as a duration."""
    meaning = KINDS[kind].details.get(name, "") if kind in KINDS else ""
    in_ns = meaning.split(" ")[0] == "ns" and isinstance(value, int)
    return format_duration(value) if in_ns else value


def _line(mark: str, row: tuple[str, ...], widths: list[int]) -> str:
    time, seq, *texts = row
    cells = [time.rjust(widths[0]), seq.rjust(widths[1])]
    cells += [text.ljust(width) for text, width in zip(texts, widths[2:], strict=True)]
    return (mark + "  ".join(cells)).rstrip()
