"""What a task costs in a burst through the whole router, in CPU time and in memory.

`WINDTUNNEL_BURST=100000 make bench` measures the full size; by default it is a tenth, which costs
the same for each task. A task's cost is gated as so many times that of the same work in raw SimPy,
measured in turns with it (`burst.py`): that depends little on the machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.bench

SCRIPT = Path(__file__).with_name("burst.py")
TASKS = int(os.environ.get("WINDTUNNEL_BURST", "10000"))
ROUNDS = 3
FEW = 500
BAR_IN_RAW = 40
"""In the cost of the same work in raw SimPy, which has no stores, no messages and no trace. A
figure in microseconds alone would judge the machine."""
KB_A_TASK = 10
"""Of memory at the peak: nearly all of it the trace's, which has 22 events a task."""
BASE_MB = 60
"""What Python and all that is loaded take."""
GATE = 0.8


def played(tasks: int, rounds: int) -> dict[str, Any]:
    """Run `burst.py`, in a process whose peak of memory is its own."""
    path = os.pathsep.join(part or str(Path.cwd()) for part in sys.path)
    result = subprocess.run(
        [sys.executable, str(SCRIPT), str(tasks), str(rounds)],
        env=os.environ | {"PYTHONPATH": path},
        stdout=subprocess.PIPE,
        check=True,
    )
    said: dict[str, Any] = json.loads(result.stdout)
    return said


def told(reached: bool) -> str:
    return "reached" if reached else "MISSED"


def test_a_burst_goes_through_both_sides() -> None:
    """What is measured is what the bar says: each task done once, inside or outside, and told."""
    events = played(FEW, 0)
    assert events["action.submitted"] == events["caller.settled done"] == FEW
    assert events["work.ended done internal"] + events["work.ended done external"] == FEW
    assert events["work.ended done internal"] > events["work.ended done external"] > 0
    assert events["task.assigned"] == events["work.ended done internal"]


@pytest.mark.spec("RT-B2", "RT-P1")
def test_cost_of_a_task(figure: Callable[[str], None]) -> None:
    said = played(TASKS, ROUNDS)
    assert said["verdicts"] == ["pass"]
    cost_us = said["seconds"] / TASKS * 1e6
    in_raw = said["seconds"] / said["raw_seconds"]
    report = (
        f"burst of {TASKS:,} tasks on 200 instances: {said['seconds']:.1f} CPU s, {cost_us:.0f} µs "
        f"a task here, {said['events']:,} events; each "
        f"{in_raw:.1f} times the same in raw SimPy (bar {BAR_IN_RAW}: "
        f"{told(in_raw <= BAR_IN_RAW)}; gate {BAR_IN_RAW / GATE:.1f})"
    )
    figure(report)
    assert in_raw <= BAR_IN_RAW / GATE, report


@pytest.mark.spec("RT-B2")
def test_memory_of_a_burst(figure: Callable[[str], None]) -> None:
    peak = played(TASKS, 1)["peak_mb"]
    bar = BASE_MB + TASKS * KB_A_TASK / 1024
    report = f"burst of {TASKS:,} tasks: {peak:.0f} MB at the peak (bar {bar:.0f} MB)"
    figure(report)
    assert peak <= bar / GATE, report
