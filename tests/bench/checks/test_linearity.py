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
from windtunnel.trace import Trace
from windtunnel.units import MS

SMALL, LARGE, MOST = 400, 4_000, 20.0
ARGS: dict[str, Any] = {
    "answer": {"of": "send_text", "outcome": "done"},
    "bounded": {"from": "send.submitted", "to": "send.settled", "max": "1h"},
    "calls": {},
    "conservation": {},
    "count": {"of": "send_text", "outcome": "done", "min": 1},
    "equals": {"pending": 0},
    "event": {"name": "kind:process.killed"},
    "fifo": {},
    "gap": {"min": "0s"},
    "happens_before": {"first": "send.0.started", "then": "kind:process.killed"},
    "invariant": "pending == 0",
    "mutual_exclusion": {"resource": "display"},
    "no_interleave": {"flows": ["send_text"]},
    "priority_inversion": {},
    "rate": {"max": 1, "span": "24h"},
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
            details = {"priority": number % 3, "via": "execute"}
        elif kind.startswith("command."):
            details = {"command": "click", "step": 0}
        on = "display" if kind.startswith("command.") else ""
        outcome = "done" if kind.endswith(("settled", "ended")) else ""
        self.trace.record(kind, f"send.{number}", "", "send_text", on, outcome, details)


LIFE = (
    *("call.started", "action.submitted", "action.started", "command.started"),
    *("command.ended", "action.settled", "caller.settled", "call.ended"),
)


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
    shape(teller, count)
    teller.trace.record("world.observed", details={"values": {"pending": 0}})
    teller.trace.record("process.killed", resource="wechat", details={"pid": 7})
    return teller.trace


def seconds(name: str, trace: Trace) -> float:
    """Return the least processor time of a few runs: what the machine adds is only ever more."""
    spec = CHECKS[name]
    args = spec.args.model_validate(ARGS[name])
    found = []
    for _ in range(5):
        gc.collect()
        started = time.process_time()
        judge(spec, trace, args, Context())
        found.append(time.process_time() - started)
    return min(found)


@pytest.mark.bench
@pytest.mark.parametrize("shape", [orderly, piled_up])
@pytest.mark.parametrize("name", sorted(CHECKS))
def test_ten_times_the_events_take_about_ten_times_as_long(
    name: str, shape: Callable[[Teller, int], None]
) -> None:
    ratio = seconds(name, told(shape, LARGE)) / seconds(name, told(shape, SMALL))
    assert ratio < MOST
