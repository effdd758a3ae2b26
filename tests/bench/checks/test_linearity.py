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
    "no_interleave": {"flows": ["send_text"]},
    "priority_inversion": {},
    "rate": {"max": 1, "span": "24h"},
    "sometimes": {"event": "send.started"},
    "starvation": {"max_bypass": 0},
    "transitions": {"of": "kind:action.started", "max_per_hour": 1},
}


class Teller:
    """Records the steps of operations, one millisecond after another."""

    def __init__(self) -> None:
        self.now = 0
        self.trace = Trace(lambda: self.now, limit=10_000_000)

    def __call__(self, kind: str, number: int) -> None:
        self.now += MS
        details: dict[str, Any] = {}
        if kind == "action.submitted":
            details = {"priority": number % 3, "via": "execute", "to": "room"}
        elif kind.startswith("command."):
            details = {"command": "click", "step": 0}
        details |= DETAILS.get(kind, {})
        on = "display" if kind.startswith("command.") else "wechat"
        outcome = "done" if kind.endswith(("settled", "ended")) else ""
        self.trace.record(kind, f"send.{number}", "", "send_text", on, outcome, details)


LIFE = (
    *("call.started", "request.received", "action.submitted", "action.queued", "action.started"),
    *("lock.waited", "command.started", "command.ended", "message.delivered", "action.settled"),
    *("caller.settled", "request.answered", "call.ended"),
    *("drain.started", "drain.ended", "wechat.gone", "process.killed", "wechat.shown"),
)
DETAILS: dict[str, dict[str, Any]] = {
    "action.queued": {"pending": 1},
    "drain.ended": {"drained": False},
    "lock.waited": {"waited": 1},
    "message.delivered": {"text": "hello"},
}


def orderly(tell: Teller, count: int) -> None:
    """One operation after the other."""
    for number in range(count):
        for kind in LIFE:
            tell(kind, number)


def piled_up(tell: Teller, count: int) -> None:
    """All at once and in a mixed order: everything overlaps everything."""
    order = list(range(count))
    mixed = random.Random(1)
    for kind in LIFE:
        for number in order:
            tell(kind, number)
        mixed.shuffle(order)


@cache
def told(shape: Callable[[Teller, int], None], count: int) -> Trace:
    teller = Teller()
    teller.trace.record("window.opened", details={"left": count * MS, "pending": 0})
    shape(teller, count)
    teller.trace.record("world.observed", details={"values": {"pending": 0}})
    teller.trace.record("process.killed", resource="wechat", details={"pid": 7})
    return teller.trace


def check(name: str) -> Callable[[Trace], object]:
    spec = CHECKS[name]
    args = spec.args.model_validate(ARGS[name])
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
    **{f"threshold of {name}": threshold(name) for name in METRICS},
}


def test_every_check_is_measured() -> None:
    assert set(ARGS) == set(CHECKS)


@pytest.mark.bench
@pytest.mark.parametrize("shape", [orderly, piled_up])
@pytest.mark.parametrize("name", JUDGED)
def test_ten_times_the_events_take_about_ten_times_as_long(
    name: str, shape: Callable[[Teller, int], None]
) -> None:
    judged = JUDGED[name]
    ratio = seconds(judged, told(shape, LARGE)) / seconds(judged, told(shape, SMALL))
    assert ratio < MOST
