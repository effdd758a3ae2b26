"""The kinds of the bridge: its routes, its services, and what its scheduler may report.

Imports the form of a kind.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from windtunnel.kinds.kind import Kind, Kinds

BRIDGE: Final[Kinds] = MappingProxyType(
    {
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
    }
)
