"""Checks are linear in the trace: ten times the events take about ten times as long."""

from __future__ import annotations

import gc
import random
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest

from windtunnel.checks import CHECKS, Context, judge
from windtunnel.checks.metrics import METRICS, judge_threshold
from windtunnel.scenario.cells import Threshold
from windtunnel.trace import Trace
from windtunnel.units import MS

SMALL, LARGE = 400, 4_000
MOST = 30.0
"""Half-way, as factors go, between a linear check (10) and a quadratic one (100): the caches of a
processor make the small trace up to twice as fast for each event."""
ARGS: dict[str, Any] = {
    "answer": {"of": "send_text", "outcome": "done"},
    "balance": {},
    "bounded": {"from": "send.submitted", "to": "send.settled", "max": "1h"},
    "calls": {},
    "capacity": {"max": 1},
    "conservation": {},
    "count": {"of": "send_text", "outcome": "done", "min": 1},
    "delivered_to": {"complete": True},
    "drained_before_kill": {},
    "equals": {"pending": 0},
    "event": {"name": "kind:process.killed"},
    "fast_fail": {"within": "1ms"},
    "fifo": {},
    "gap": {"min": "0s"},
    "happens_before": {"first": "send.0.started", "then": "kind:process.killed"},
    "invariant": "pending == 0",
    "mutual_exclusion": {"resource": "display"},
    "no_crash": {},
    "no_interleave": {"flows": ["send_text"]},
    "no_overcommit": {},
    "once_at_a_time": {},
    "priority_inversion": {},
    "rate": {"max": 1, "span": "24h"},
    "recovery": {},
    "sometimes": {"event": "send.started"},
    "starvation": {"max_bypass": 0},
    "traced": {},
    "transitions": {"of": "kind:action.started", "max_per_hour": 1},
}


class Teller:
    """Records the steps of operations, one millisecond after another."""

    def __init__(self) -> None:
        self.now = 0
        self.trace = Trace(lambda: self.now, limit=10_000_000)

    def __call__(self, step: str, number: int) -> None:
        self.now += MS
        kind, _, way = step.partition(" ")
        details: dict[str, Any] = {}
        if kind == "action.submitted":
            details = {"priority": number % 3, "via": "execute", "to": "room"}
        elif kind.startswith("command."):
            details = {"command": "click", "step": 0}
        details |= DETAILS.get(kind, {}) | WAYS.get(way, {})
        on = "display" if kind.startswith("command.") else "wechat"
        outcome = "done" if kind.endswith(("settled", "ended")) else ""
        by = "backend" if way else ""
        self.trace.record(kind, f"send.{number}", by, "send_text", on, outcome, details)


FLOW = (
    *("call.started", "request.received", "action.submitted", "action.queued", "action.started"),
    *("lock.waited", "command.started", "command.ended", "message.delivered", "action.settled"),
    *("caller.settled", "request.answered", "call.ended"),
    *("drain.started", "drain.ended", "wechat.gone", "process.killed", "wechat.shown"),
)
TASK = (
    *("action.submitted", "task.moved in", "capacity.known", "route.decided", "task.sent"),
    *("task.assigned", "action.started", "work.started", "work.ended", "task.released"),
    "instance.known",
    *("action.settled", "task.moved on", "caller.settled", "fault.injected", "router.degraded"),
    *("health.checked", "router.recovered", "task.fell_back", "instance.changed"),
)
OF_TASKS = frozenset(
    {"balance", "no_overcommit", "once_at_a_time", "recovery", "traced"}
    | {f"threshold of {name}" for name in ("detection", "switch", "degraded", "in_system")}
    | {"threshold of outside_share", "threshold of utilisation"}
    | {f"capacity seen by the {view}" for view in ("world", "dispatcher", "backend")}
)
"""What is measured over tasks; all else over flows."""
Life = tuple[str, ...]
Shape = Callable[[Teller, Life, int], None]
WAYS = {"in": {"to": "inside"}, "on": {"from": "inside", "to": "done"}}
"""What is said after `task.moved` → its details."""
_SIDE = {"side": "internal"}
DETAILS: dict[str, dict[str, Any]] = {
    "action.queued": {"pending": 1},
    "drain.ended": {"drained": False},
    "lock.waited": {"waited": 1},
    "message.delivered": {"text": "hello"},
    "router.degraded": {"reason": "store", "after": 0},
    "health.checked": {"healthy": True},
    "capacity.known": {"online": 1, "busy": 0, "available": 1},
    "instance.known": {"instance": "inst-0", "status": "online"},
    "route.decided": dict.fromkeys(
        ("waiting", "internal", "external", "to_internal", "to_external"), 1
    ),
    "task.sent": _SIDE,
    "task.assigned": {"instance": "inst-0"},
    "work.started": _SIDE,
    "work.ended": _SIDE,
    "task.released": {"instance": "inst-0"},
}


def orderly(tell: Teller, life: Life, count: int) -> None:
    """One operation after the other."""
    for number in range(count):
        for kind in life:
            tell(kind, number)


def piled_up(tell: Teller, life: Life, count: int) -> None:
    """All at once and in a mixed order: everything overlaps everything."""
    order = list(range(count))
    mixed = random.Random(1)
    for kind in life:
        for number in order:
            tell(kind, number)
        mixed.shuffle(order)


@cache
def told(shape: Shape, life: Life, count: int) -> Trace:
    teller = Teller()
    teller.trace.record("window.opened", details={"left": count * MS, "pending": 0})
    shape(teller, life, count)
    teller.trace.record("world.observed", details={"values": {"pending": 0}})
    teller.trace.record("process.killed", resource="wechat", details={"pid": 7})
    return teller.trace


def check(name: str, said: Any = None) -> Callable[[Trace], object]:
    spec = CHECKS[name]
    args = spec.args.model_validate(said or ARGS[name])
    return lambda trace: judge(spec, trace, args, Context())


def threshold(metric: str) -> Callable[[Trace], object]:
    asked = Threshold(1, metric, (), {}, "p99", None, 1, 1)
    return lambda trace: judge_threshold(asked, trace, Context())


def seconds(judged: Callable[[Trace], object], trace: Trace) -> float:
    """Return the least processor time of a few runs: what the machine adds is only ever more."""
    found = []
    gc.collect()
    for _ in range(9):
        started = time.process_time()
        judged(trace)
        found.append(time.process_time() - started)
    return min(found)


JUDGED = {
    **{name: check(name) for name in ARGS},
    **{
        f"capacity seen by the {view}": check(
            "capacity", {"view": view, "of": "internal", "max": 1, "after_fault_max": 0}
        )
        for view in ("world", "dispatcher", "backend")
    },
    **{f"threshold of {name}": threshold(name) for name in METRICS},
}


def test_every_check_is_measured() -> None:
    assert set(ARGS) == set(CHECKS)
    assert set(JUDGED) >= OF_TASKS


@pytest.mark.bench
@pytest.mark.parametrize("shape", [orderly, piled_up])
@pytest.mark.parametrize("name", JUDGED)
def test_ten_times_the_events_take_about_ten_times_as_long(name: str, shape: Shape) -> None:
    judged, life = JUDGED[name], TASK if name in OF_TASKS else FLOW
    ratio = seconds(judged, told(shape, life, LARGE)) / seconds(judged, told(shape, life, SMALL))
    assert ratio < MOST
