"""The kinds of a task router: hosts and instances, the backend, the dispatcher.

Imports the form of a kind.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from windtunnel.kinds.kind import Kind, Kinds

ROUTING: Final[Kinds] = MappingProxyType(
    {
        # The world: hosts, instances, the external platform.
        "host.started": Kind("a program runs on its host", "world", ("resource",)),
        "host.crashed": Kind(
            "a host's program is no more, and nothing of it",
            "world",
            ("resource",),
            {"why": "killed or raised", "error?": "the error's type"},
        ),
        "instance.changed": Kind(
            "an instance comes, goes or changes its state",
            "world",
            ("resource",),
            {"state": "idle, busy, off or crashed", "bridge": "whose it is"},
        ),
        "work.started": Kind(
            "an instance, or the external platform, begins to work on a task",
            "world",
            ("op", "resource"),
            {"side": "internal or external"},
        ),
        "work.ended": Kind(
            "it works on it no longer",
            "world",
            ("op", "resource", "outcome"),
            {"side": "internal or external"},
        ),
        # Where each task is, by what the parties' stores hold (RT-R3).
        "task.moved": Kind(
            "a task has another place in the store of a party, by one commit",
            "boundary",
            ("op", "actor"),
            {"from?": "the place it left", "to?": "the place it has come to"},
        ),
        # The backend.
        "route.decided": Kind(
            "the backend splits what waits (RT-S1)",
            "system",
            (),
            {
                "waiting": "tasks that the poller took",
                "internal": "capacity inside, by what the backend knows",
                "external": "capacity outside, by the same",
                "to_internal": "tasks that go inside",
                "to_external": "tasks that go outside",
            },
        ),
        "task.sent": Kind(
            "a platform has taken a task",
            "system",
            ("op",),
            {"side": "internal or external", "request": "by which the platform knows it"},
        ),
        "task.refused": Kind(
            "a submission was refused, failed or took too long (RT-H6)",
            "system",
            ("op",),
            {
                "side": "internal or external",
                "why": "refused, unreachable, timeout, breaker, token or wrong_form",
                "code?": "what the platform answered",
            },
        ),
        "task.fell_back": Kind(
            "a task is to be completed outside, or waits for that (RT-H6, RT-D5)",
            "system",
            ("op",),
            {"why": "refused, unreachable, timeout, breaker, token, offered or degraded"},
        ),
        "capacity.known": Kind(
            "the backend has a report of the capacity inside, or one has run out",
            "system",
            (),
            {"online": "instances", "busy": "instances", "available": "instances"},
        ),
        "link.connected": Kind("the backend's channel to the dispatcher is there", "system"),
        "link.lost": Kind(
            "it is no longer",
            "system",
            (),
            {"why": "closed, silent or refused", "again_in": "ns until the next attempt"},
        ),
        "health.checked": Kind(
            "the backend looks at link and capacity (RT-H1)",
            "system",
            (),
            {"healthy": "whether all hold", "score": "0 to 1", "reason?": "the first trigger"},
        ),
        "health.probed": Kind(
            "the HTTP health check is over (RT-H5)",
            "system",
            (),
            {"ok": "whether it was answered well", "verdict": "healthy or unhealthy"},
        ),
        "router.degraded": Kind(
            "the router takes the inside as not there (RT-H3)",
            "system",
            (),
            {
                "reason": "channel_closed, no_heartbeat, no_instance, nothing_available, store, "
                "memory or unknown",
                "after": "ns from its detection to this",
            },
        ),
        "router.recovered": Kind(
            "the router prefers the inside again (RT-H4)", "system", (), {"after": "ns degraded"}
        ),
        "breaker.changed": Kind(
            "the breaker of submissions inside changes (RT-X1)",
            "system",
            (),
            {"state": "closed, open or half_open"},
        ),
        "token.obtained": Kind(
            "a token was obtained or refreshed (RT-J1)", "system", (), {"lifetime": "ns"}
        ),
        "token.failed": Kind(
            "a log-in or refresh failed (RT-J2)", "system", (), {"valid": "whether the old one is"}
        ),
        "error.met": Kind(
            "an error is met in a known way (RT-X2)",
            "system",
            (),
            {
                "error": "its kind",
                "severity": "low, medium, high or critical",
                "reaction": "what is done",
                "party": "backend or dispatcher",
            },
        ),
        "alert.raised": Kind(
            "a figure is over its limit (RT-X3)",
            "system",
            (),
            {"alert": "its name", "severity": "warning or critical", "value": "the figure"},
        ),
        "alert.cleared": Kind("it is no longer", "system", (), {"alert": "its name"}),
        "message.ignored": Kind(
            "an unknown, broken, late or repeated message is passed over (RT-W6)",
            "system",
            (),
            {"party": "who passed it over", "why": "unknown, broken, late or repeated"},
        ),
        "result.ignored": Kind(
            "a result that is not the first for its task is passed over",
            "system",
            ("op",),
            {"party": "backend or dispatcher", "why": "repeated or late"},
        ),
        "owner.told_again": Kind("the owner of a task is told what they know", "system", ("op",)),
        # The dispatcher.
        "task.accepted": Kind(
            "the dispatcher has taken a task in", "system", ("op",), {"pending": "tasks, with it"}
        ),
        "task.repeated": Kind(
            "a task that the dispatcher knows is submitted again (RT-R3)", "system", ("op",)
        ),
        "task.assigned": Kind(
            "the dispatcher gives a task to an instance (RT-D1)",
            "system",
            ("op",),
            {"instance": "which", "bridge": "whose", "retries": "how often it failed before"},
        ),
        "task.released": Kind(
            "the dispatcher takes the task's instance as free of it, or as lost",
            "system",
            ("op",),
            {"instance": "which", "why": "done, failed, lost or superseded"},
        ),
        "task.requeued": Kind(
            "a task goes back to the head of what is pending (RT-D4)",
            "system",
            ("op",),
            {"retries": "with this one", "why": "failed or lost"},
        ),
        "task.offered": Kind(
            "the dispatcher offers a pending task to the backend (RT-D5)", "system", ("op",)
        ),
        "instance.known": Kind(
            "the dispatcher's view of an instance changes",
            "system",
            (),
            {"instance": "which", "status": "online, busy or offline", "why?": "of its going"},
        ),
        "webhook.tried": Kind(
            "a webhook was called",
            "system",
            ("op",),
            {"attempt": "from 1", "ok": "whether it was answered with 200"},
        ),
    }
)
"""What happens in and around a router."""
