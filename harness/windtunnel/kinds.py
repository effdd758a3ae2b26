"""The kinds of trace event: who records each and what its details mean, in one table.

Digests, witnesses, checks and foreign schedulers hang on it; `windtunnel kinds` prints it. Imports
nothing of the project.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final, Literal

Origin = Literal["boundary", "port", "world", "system", "scheduler", "run"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A row of the table of kinds."""

    summary: str
    origin: Origin
    fields: tuple[str, ...] = ()
    """Fields of `Event` that are always set."""
    details: Mapping[str, str] = field(default_factory=dict)
    """Name of each detail → what it means; a detail ending in `?` may be absent."""


KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        # The boundary: wrapped around the scheduler, the same for ours and for anybody's.
        "action.submitted": Kind(
            "a caller hands an operation to the scheduler (or starts it directly)",
            "boundary",
            ("op", "class_", "actor"),
            {
                "priority": "0 CRITICAL, 1 HIGH, 2 NORMAL, 3 LOW",
                "delay_ms?": "the delay after it that the caller asked for, ms",
                "wait_ms?": "bound on the caller's wait, ms",
                "via": "execute, enqueue or direct",
                "trace_id?": "by which the bridge's logs know it (UI-E2)",
                "to?": "whom it is for",
                "text?": "what is to be sent to them",
            },
        ),
        "action.started": Kind("the action's factory is called", "boundary", ("op", "class_")),
        "action.settled": Kind(
            "the operation is over: it ended, or its caller learnt that it will never run",
            "boundary",
            ("op", "class_", "outcome"),
            {"code?": "the error's code", "error?": "the error's type"},
        ),
        "caller.settled": Kind(
            "the caller is told",
            "boundary",
            ("op", "class_", "outcome"),
            {
                "code?": "the error's code",
                "error?": "the error's type",
                "retry_after?": "seconds",
                "phase?": "queued or running",
            },
        ),
        # A request to one of the bridge's routes, around its action.
        "request.received": Kind("a route is called", "system", ("op", "class_")),
        "request.answered": Kind(
            "a route has answered",
            "system",
            ("op", "class_", "outcome"),
            {
                "status": "as HTTP has it",
                "code?": "the error's code",
                "error?": "the error's type",
                "retry_after?": "seconds",
            },
        ),
        # Port calls.
        "command.started": Kind(
            "one command has the display and begins",
            "port",
            ("op", "class_", "resource"),
            {"command": "its name", "step": "its place in the flow, from 0"},
        ),
        "command.ended": Kind(
            "that command is over",
            "port",
            ("op", "class_", "resource", "outcome"),
            {"command": "its name", "step": "its place in the flow, from 0"},
        ),
        # The world.
        "process.started": Kind("a process runs", "world", ("resource",), {"pid": "its number"}),
        "process.killed": Kind(
            "a process is killed", "world", ("resource",), {"pid": "its number"}
        ),
        "process.exited": Kind(
            "a process ends by itself", "world", ("resource",), {"pid": "its number"}
        ),
        "process.reaped": Kind(
            "the starter has waited for a process that is over",
            "world",
            ("resource",),
            {"pid": "its number"},
        ),
        "wechat.shown": Kind("its window is there", "world", ("resource",), {"pid": "its number"}),
        "wechat.gone": Kind("its window is gone", "world", ("resource",), {"pid": "its number"}),
        "wechat.login": Kind(
            "the log-in state changes",
            "world",
            ("resource",),
            {"state": "logged_in, logged_out, qr or unknown"},
        ),
        "message.delivered": Kind(
            "a message went out, to whomever's session was open at that instant (UI-F4)",
            "world",
            ("op", "class_", "resource"),
            {"text": "what stood in the input box"},
        ),
        "friend.requested": Kind("a request comes in", "world", ("resource",)),
        "friend.accepted": Kind("a request is accepted", "world", ("op", "class_", "resource")),
        "text.misplaced": Kind(
            "a text went to something that is no box to type it in",
            "world",
            ("op", "class_", "resource"),
            {"text": "what was typed"},
        ),
        "click.missed": Kind(
            "a click hit something else than what it was meant for, or nothing",
            "world",
            ("op", "class_", "resource"),
            {"hit": "what lay there"},
        ),
        "fault.injected": Kind("a fault is brought about", "world", ("op", "class_"), {}),
        "fault.affected": Kind(
            "a fault has had its first effect",
            "world",
            ("op", "class_"),
            {"hit?": "the operation that felt it"},
        ),
        "fault.undone": Kind("a fault is over", "world", ("op", "class_")),
        "world.observed": Kind(
            "the values that `equals` and `invariant` read were taken",
            "run",
            (),
            {"values": "name → value"},
        ),
        # Calls of the timeline and the services they reach.
        "call.started": Kind("a timeline call begins", "system", ("op", "class_")),
        "call.ended": Kind(
            "a timeline call is over",
            "system",
            ("op", "class_", "outcome"),
            {"result?": "what it returned", "code?": "the error's code", "error?": "its type"},
        ),
        "drain.started": Kind(
            "a drain begins", "system", ("actor",), {"timeout": "ns", "pending?": "queued then"}
        ),
        "drain.ended": Kind(
            "a drain is over", "system", ("actor",), {"drained": "whether nothing was left"}
        ),
        "drain.timed_out": Kind(
            "a drain gave up", "system", ("actor",), {"pending?": "queued or running then"}
        ),
        # What the bridge's services report.
        "lock.waited": Kind(
            "a command had to wait for the UI lock", "system", ("op",), {"waited": "ns"}
        ),
        "guard.warned": Kind(
            "the log-in guard waited too long for L1 (UI-C4)",
            "system",
            (),
            {"waited": "ns"},
        ),
        "watchdog.looked": Kind(
            "the watchdog looked for WeChat", "system", (), {"alive": "whether it was there"}
        ),
        "watchdog.acted": Kind(
            "the watchdog begins to act",
            "system",
            (),
            {"failed": "looks that found nothing, in a row"},
        ),
        "kill.announced": Kind("running flows are told that WeChat was killed (UI-W6)", "system"),
        "startup.cleaned": Kind("what an earlier run left behind is gone", "system"),
        "watchers.started": Kind("the background services run", "system"),
        "watchers.stopped": Kind("the background services are over", "system"),
        "verification.cleared": Kind(
            "verifications that still ran are given up", "system", (), {"pending": "how many"}
        ),
        "scheduler.stopped": Kind("the queue is stopped", "system"),
        # Optional: from inside a scheduler that reports them.
        "action.queued": Kind(
            "the scheduler took the entry", "scheduler", ("op",), {"pending": "queued, with it"}
        ),
        "action.skipped": Kind(
            "an entry that is no longer wanted is passed over", "scheduler", ("op",)
        ),
        "action.fast_failed": Kind(
            "refused inside the dead window", "scheduler", ("op",), {"left": "ns until it closes"}
        ),
        "action.refused": Kind(
            "refused by a limit", "scheduler", ("op",), {"limit": "queue or rate"}
        ),
        "action.delayed": Kind(
            "the worker waits after an action", "scheduler", ("op",), {"delay": "ns"}
        ),
        "window.opened": Kind(
            "the dead window opens or grows",
            "scheduler",
            (),
            {"left": "ns until it closes", "pending": "queued then"},
        ),
        "window.closed": Kind("the dead window is closed by hand", "scheduler"),
        # The run itself.
        "run.ended": Kind(
            "nothing more is recorded",
            "run",
            (),
            {"reason": "finished, until, deadlock, limit or error"},
        ),
    }
)
