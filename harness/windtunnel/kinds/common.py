"""The kinds that every system has: the boundary, calls, faults and the run itself.

Imports the form of a kind.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from windtunnel.kinds.kind import Kind, Kinds

COMMON: Final[Kinds] = MappingProxyType(
    {
        # The boundary: wrapped around the scheduler, the same for ours and for anybody's.
        "action.submitted": Kind(
            "a caller hands an operation to the scheduler (or starts it directly)",
            "boundary",
            ("op", "class_", "actor"),
            {
                "priority?": "0 CRITICAL, 1 HIGH, 2 NORMAL, 3 LOW",
                "delay_ms?": "the delay after it that the caller asked for, ms",
                "wait_ms?": "bound on the caller's wait, ms",
                "via?": "execute, enqueue or direct",
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
        # Calls of the timeline and the services they reach.
        "call.started": Kind("a timeline call begins", "system", ("op", "class_")),
        "call.ended": Kind(
            "a timeline call is over",
            "system",
            ("op", "class_", "outcome"),
            {"result?": "what it returned", "code?": "the error's code", "error?": "its type"},
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
        # The run itself.
        "run.ended": Kind(
            "nothing more is recorded",
            "run",
            (),
            {"reason": "finished, until, deadlock, limit or error"},
        ),
    }
)
