"""Names of events, as scenario files write them: `send.2.click_search`, `bye.settled`, `kind:…`.

The grammar and what a name matches stand here, for the timeline (`after`), for checks and for the
checking of files. Imports only `windtunnel.trace` and `windtunnel.errors`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from windtunnel.errors import WindtunnelError
from windtunnel.kinds import KINDS
from windtunnel.trace import Event

PHASES: Final = MappingProxyType(
    {
        "submitted": ("action.submitted", "call.started"),
        "queued": ("action.queued",),
        "started": ("action.started", "call.started"),
        "settled": ("action.settled", "call.ended"),
        "answered": ("caller.settled", "call.ended"),
        "requested": ("request.received",),
        "responded": ("request.answered",),
        "injected": ("fault.injected",),
        "affected": ("fault.affected",),
        "undone": ("fault.undone",),
    }
)
"""Phase of an operation, a call, a request or a fault → the kinds of event that mean it."""

ID_PATTERN: Final = r"[A-Za-z][A-Za-z0-9_-]*"
_NAME = re.compile(
    rf"(?P<id>{ID_PATTERN})(?:\.(?P<index>[0-9]{{1,9}}))?"
    r"\.(?P<tail>[a-z][a-z0-9_]*)(?:#(?P<nth>[1-9][0-9]{0,8}))?(?P<begin>\.begin)?"
)


class EventNameError(WindtunnelError, ValueError):
    """A text is not the name of an event."""


@dataclass(frozen=True, slots=True)
class EventName:
    """A parsed name. Either `kind`, or `id` with a phase or a command."""

    text: str
    kind: str = ""
    """The trace kind of `kind:…`: its first event is meant."""
    id: str = ""
    index: int | None = None
    """Place in a repeat, from 0; None where the name gives none."""
    phase: str = ""
    command: str = ""
    begin: bool = False
    """The command's start instead of its end."""
    nth: int = 1
    """Which of several commands of that name in one flow, from 1."""

    @property
    def op(self) -> str:
        """The operation id in the trace, or `""`; a name without an index means the bare id."""
        return self.id if self.index is None else f"{self.id}.{self.index}"

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of event that can match."""
        if self.kind:
            return (self.kind,)
        if self.phase:
            return PHASES[self.phase]
        return ("command.started",) if self.begin else ("command.ended",)

    def matches(self, event: Event) -> bool:
        """Tell whether an event fits; of several commands of one name `find` counts the n-th."""
        if event.kind not in self.kinds:
            return False
        if self.kind:
            return True
        wanted = event.op == self.op or (self.index == 0 and event.op == self.id)
        return wanted and (not self.command or event.details.get("command") == self.command)

    def find(self, events: Iterable[Event]) -> Event | None:
        """Return the first event meant (the n-th where the name says `#n`), or None."""
        left = self.nth
        for event in events:
            if self.matches(event):
                left -= 1
                if not left:
                    return event
        return None


def parse_event_name(text: str) -> EventName:
    """Return the parsed name.

    Raises `EventNameError` for a text outside the grammar or an unknown kind.
    """
    if text.startswith("kind:"):
        kind = text.removeprefix("kind:")
        if kind not in KINDS:
            raise EventNameError(f"{kind!r} is not a kind of trace event")
        return EventName(text, kind=kind)
    match = _NAME.fullmatch(text)
    if match is None:
        raise EventNameError(
            f"{text!r} is not the name of an event; write ID.PHASE, ID.N.PHASE, ID.N.COMMAND "
            f"or kind:KIND (phases: {', '.join(PHASES)})"
        )
    index = None if match["index"] is None else int(match["index"])
    tail, begin, nth = match["tail"], match["begin"] is not None, match["nth"]
    if tail in PHASES:
        if begin or nth:
            raise EventNameError(f"{text!r}: a phase takes neither `.begin` nor `#n`")
        return EventName(text, id=match["id"], index=index, phase=tail)
    return EventName(
        text, id=match["id"], index=index, command=tail, begin=begin, nth=int(nth or 1)
    )
