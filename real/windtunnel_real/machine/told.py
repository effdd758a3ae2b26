"""What the stand-in tells, as events of the trace: on behalf of the command that brought it about.

The application does not know who acts; the ports do: what it says while a command is at work is
that command's doing. Imports who acts, the trace, and what a click of the stand-in's can hit.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from windtunnel.acting import Acting
from windtunnel.trace import Trace
from windtunnel_real.standin.hits import missed

Line = Mapping[str, Any]
"""A line of the stand-in's log: `kind`, `resource`, `details`, and what else belongs to it."""

NAME: Final = "wechat"
NOBODY: Final = Acting("nobody", "nobody")
"""Who acts before anybody has."""
OF_A_COMMAND: Final = frozenset({"message.delivered", "friend.accepted", "text.misplaced"})
OF_NOBODY: Final = frozenset({"friend.requested", "wechat.login"})


@dataclass(slots=True, eq=False)
class Work:
    """A command that works on the display, or somebody who sits at it."""

    who: Acting
    target: str = ""
    """What its click is meant for."""


class Told:
    """The stand-in as its own log has it, for one run."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._at_work: list[Work] = []
        self._last = NOBODY
        self.shown = asyncio.Event()
        """Set while the window is mapped, as the application says."""
        self.account = "unknown"
        """The log-in state, also while no window shows it."""

    def meet(self, state: Mapping[str, Any]) -> None:
        """Take the state that an application has as one first talks to it."""
        self.account = state["account"]
        if state["window"]:
            self.shown.set()

    def begin(self, who: Acting, target: str = "") -> Work:
        """Have somebody begin to work: what is told from now on is theirs."""
        work = Work(who, target)
        self._at_work.append(work)
        return work

    def end(self, work: Work) -> None:
        """Have their work be over; what nobody else works at by then still is their doing."""
        self._at_work.remove(work)
        self._last = work.who

    def hear(self, line: Line) -> None:
        """Take a line of the log."""
        kind, resource = line["kind"], line.get("resource", "")
        details: Mapping[str, Any] = line.get("details") or {}
        if kind in OF_A_COMMAND:
            self._record(kind, resource, details)
        elif kind in OF_NOBODY:
            self._trace.record(kind, resource=resource, details=details)
        if (change := CHANGES.get(kind)) is not None:
            change(self, line)

    def gone(self, pid: int) -> None:
        """Note that the process is over: its window goes with it."""
        if self.shown.is_set():
            self.shown.clear()
            self._trace.record("wechat.gone", resource=NAME, details={"pid": pid})

    def _record(self, kind: str, resource: str, details: Mapping[str, Any]) -> None:
        who = self._at_work[-1].who if self._at_work else self._last
        self._trace.record(kind, who.op, who.actor, who.class_, resource, "", details)

    def _clicked(self, line: Line) -> None:
        """Record a click that hit something else than its command meant."""
        clicks = [work for work in self._at_work if work.target]
        if not clicks:
            return
        details = line["details"]
        hit = missed(clicks[-1].target, details["target"], details["hit"])
        if hit:
            self._record("click.missed", clicks[-1].target, {"hit": hit})

    def _shown(self, line: Line) -> None:
        if not self.shown.is_set():
            self.shown.set()
            self._trace.record("wechat.shown", resource=NAME, details=line["details"])

    def _gone(self, line: Line) -> None:
        self.gone(line["details"]["pid"])

    def _login(self, line: Line) -> None:
        self.account = line["details"]["state"]


CHANGES: Final[Mapping[str, Callable[[Told, Line], None]]] = {
    "click": Told._clicked,  # noqa: SLF001 - its own table
    "wechat.shown": Told._shown,  # noqa: SLF001 - as above
    "wechat.gone": Told._gone,  # noqa: SLF001 - as above
    "wechat.login": Told._login,  # noqa: SLF001 - as above
}
"""Kind of a line → what it changes here."""
