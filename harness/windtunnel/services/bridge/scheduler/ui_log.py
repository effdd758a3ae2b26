"""What the UI scheduler says of its work: a table of log lines, and observers (UI-Q12).

Observers are how metrics and a harness learn of what happens inside; without one it costs nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from windtunnel.policies.ui.priority import Priority
from windtunnel.services.bridge.scheduler.ui_entry import Entry
from windtunnel.units import format_duration

Observer = Callable[[str, str, Mapping[str, Any]], None]
"""Called with the name of a line, the entry's trace id (or `""`) and the line's fields."""

logger = logging.getLogger("windtunnel.ui")


@dataclass(frozen=True, slots=True)
class Line:
    """A log line: its level and its text over the fields, `priority` and `trace_id`."""

    level: int
    text: str


def _info(text: str) -> Line:
    return Line(logging.INFO, text)


def _warning(text: str) -> Line:
    return Line(logging.WARNING, text)


LINES: Final[Mapping[str, Line]] = MappingProxyType(
    {
        "action.queued": _info("queued %(priority)s %(trace_id)s, %(pending)d pending"),
        "action.dequeued": _info("dequeued %(priority)s %(trace_id)s after %(waited)s"),
        "action.started": _info("started %(priority)s %(trace_id)s"),
        "action.finished": _info("finished %(priority)s %(trace_id)s in %(took)s"),
        "action.failed": _warning("failed %(priority)s %(trace_id)s in %(took)s: %(error)s"),
        "action.delayed": _info("waiting %(delay)s after %(priority)s %(trace_id)s"),
        "action.skipped": _info("skipped cancelled %(priority)s %(trace_id)s"),
        "action.fast_failed": _warning(
            "refused %(priority)s %(trace_id)s: WeChat is not ready for another %(left)s"
        ),
        "action.refused": _warning("refused %(priority)s %(trace_id)s: %(limit)s limit"),
        "action.timed_out": _warning(
            "gave up %(priority)s %(trace_id)s while %(phase)s, %(pending)d pending"
        ),
        "action.finished_at_timeout": _info(
            "finished %(priority)s %(trace_id)s at the time-out; its result counts"
        ),
        "window.opened": _warning("WeChat is taken for dead for %(left)s, %(pending)d pending"),
        "window.closed": _info("WeChat is ready"),
        "drain.gave_up": _warning("drain gave up with %(pending)d queued or running"),
        "stop.abandoned": _warning(
            "%(priority)s %(trace_id)s ignores its cancellation; left alone"
        ),
    }
)

_PRIORITIES: Final = {priority: priority.name for priority in Priority}
_DURATIONS: Final = frozenset({"delay", "left", "took", "waited"})
"""Fields that hold nanoseconds; a log line shows them with a unit."""


class UILog:
    """Writes the lines and tells the observers."""

    __slots__ = ("_observers",)

    def __init__(self) -> None:
        self._observers: tuple[Observer, ...] = ()

    def observe(self, observer: Observer) -> Callable[[], None]:
        """Add an observer; what is returned ends it, and may be called again."""
        mine: Observer = partial(observer)  # one observer may come twice
        self._observers = (*self._observers, mine)

        def end() -> None:
            self._observers = tuple(other for other in self._observers if other is not mine)

        return end

    def say(self, name: str, entry: Entry | None = None, **fields: Any) -> None:  # noqa: ANN401 - JSON values
        """Log the line of that name at its level and pass it on, with the entry's priority."""
        line = LINES[name]
        if logger.isEnabledFor(line.level):
            shown = {name: _shown(name, value) for name, value in fields.items()}
            whose = (
                {"priority": entry.priority.name, "trace_id": entry.trace_id or "-"}
                if entry
                else {}
            )
            told = whose | shown
            # An empty mapping is no argument to logging: it would be formatted as a tuple.
            logger.log(line.level, line.text, *((told,) if told else ()))
        if not self._observers:
            return
        trace_id = ""
        if entry is not None:
            trace_id = entry.trace_id
            fields["priority"] = _PRIORITIES[entry.priority]
        for observer in self._observers:
            observer(name, trace_id, fields)


def _shown(name: str, value: Any) -> Any:  # noqa: ANN401 - JSON values
    return format_duration(value) if name in _DURATIONS else value
