"""An excerpt: the few events around a violation, as aligned lines for people.

Imports `windtunnel.trace` and `windtunnel.units`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from windtunnel.kinds import KINDS
from windtunnel.trace import Event, Trace
from windtunnel.units import SECOND, format_duration

LIMIT: Final = 12
"""The most lines that are shown."""
_WIDTH: Final = 60
"""The most characters that say what happened."""
_DIGITS: Final = (3, 6, 9)
_WITHIN: Final = 6
"""How far from a clash an event is still shown."""


def excerpt(trace: Trace, witness: tuple[int, ...], limit: int = LIMIT) -> tuple[str, ...]:
    """Return at most `limit` lines around the events of a witness; those that clash bear a `>`.

    A line gives the time in seconds, the sequence number, the kind, the operation and what
    happened; `…` stands for events left out. Empty for a witness without events.
    """
    seqs = _chosen(trace, witness, limit)
    digits = _digits([trace[seq] for seq in seqs])
    rows = [_cells(trace[seq], digits) for seq in seqs]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines: list[str] = []
    previous = None
    for seq, row in zip(seqs, rows, strict=True):
        if previous is not None and seq > previous + 1:
            lines.append(f"  … {seq - previous - 1} more")
        lines.append(_line("> " if seq in witness else "  ", row, widths))
        previous = seq
    return tuple(lines)


def _chosen(trace: Trace, witness: tuple[int, ...], limit: int) -> list[int]:
    """Take the witness, the first first, then its neighbours, while the lines suffice."""
    chosen: set[int] = set()
    for seq in _wanted(witness):
        if 0 <= seq < len(trace) and _lines(chosen | {seq}) <= limit:
            chosen.add(seq)
    return sorted(chosen)


def _wanted(witness: tuple[int, ...]) -> Iterator[int]:
    yield from witness
    for distance in range(1, _WITHIN + 1):
        for seq in witness[:2]:
            yield seq - distance
            yield seq + distance


def _lines(chosen: set[int]) -> int:
    return len(chosen) + sum(1 for seq in chosen if seq - 1 not in chosen) - 1


def _digits(events: list[Event]) -> int:
    """Return how many decimals of a second show each time exactly; three at least."""
    exact = (n for n in _DIGITS if all(e.time % (SECOND // 10**n) == 0 for e in events))
    return next(exact, _DIGITS[-1])


def _cells(event: Event, digits: int) -> tuple[str, ...]:
    seconds, rest = divmod(event.time, SECOND)
    time = f"{seconds}.{rest:09d}"[: digits - 9 or None]
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
