"""A burst of tasks through the whole router in simulation, measured in a process of its own.

    python tests/bench/router/burst.py 100000

prints one JSON object: what a burst of so many tasks over 200 instances and 10 places outside comes
to, with the trace and the checks on and the digest off. The reference is the same work in raw
SimPy, measured in turns with it: a task taken from a store, 7 hops of the network, and the work.
"""

from __future__ import annotations

import gc
import json
import logging
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import simpy

from windtunnel import canonical
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.expanding.expansion import expand
from windtunnel.scenario.playing import running
from windtunnel.scenario.reading.loading import parse_scenario

INSTANCES = 200
EXTERNAL = 10
WORK_S = 5
HOPS = 7
"""Submission and answer, assignment, result, acknowledgement, webhook and answer."""
MS, SECOND = 10**6, 10**9
EVENTS_A_TASK = 30

BURST = f"""
format: 1
name: burst
system: router
policy: specified
given:
  fleet: {{internal: {INSTANCES}, bridges: 4, external: {EXTERNAL}}}
  router: {{capacity: {{internal: {INSTANCES}}}}}
timeline:
  - {{at: 0s, submit: task, id: t, repeat: %d, args: {{work: {WORK_S}s}}}}
limits: {{sim: 100h, wall: 30min, events: %d}}
expect:
  - balance: {{}}
  - conservation: {{of: [task], outcomes: [done], accepted_once: true}}
"""


def cell_of(tasks: int) -> Cell:
    text = BURST % (tasks, 100_000 + EVENTS_A_TASK * tasks)
    (cell,) = expand(parse_scenario(text, "burst.yaml"))
    return cell


def simulate_raw(tasks: int) -> None:
    """Do the same work without backend, dispatcher, stores, trace or checks."""
    env = simpy.Environment()
    queue = simpy.Store(env)

    def serve() -> simpy.events.ProcessGenerator:
        while True:
            yield queue.get()
            for _ in range(HOPS):
                yield env.timeout(MS)
            yield env.timeout(WORK_S * SECOND)

    for task in range(tasks):
        queue.put(task)
    for _ in range(INSTANCES + EXTERNAL):
        env.process(serve())
    env.run()


def cpu_seconds(program: Callable[[], object]) -> float:
    gc.collect()
    began = time.process_time()
    program()
    return time.process_time() - began


def peak_kb() -> int:
    """Return the most memory that this program had; `ru_maxrss` counts what its parent had, too."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    (line,) = (line for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(line.split()[1])


def measured(tasks: int, rounds: int) -> dict[str, Any]:
    """Return seconds of the best round of each, and what a burst came to."""
    cell = cell_of(tasks)
    running.run_cell(cell_of(INSTANCES))  # to be warm
    gc.collect()
    gc.freeze()  # what is loaded; the command line does so before it forks
    results = []
    bursts, raws = [], []
    for _ in range(rounds):
        bursts.append(cpu_seconds(lambda: results.append(running.run_cell(cell))))
        raws.append(cpu_seconds(lambda: simulate_raw(tasks)))
    return {
        "tasks": tasks,
        "seconds": min(bursts),
        "raw_seconds": min(raws),
        "events": results[-1].events,
        "peak_mb": peak_kb() / 1024,
        "verdicts": sorted({str(result.verdict) for result in results}),
    }


def counted(tasks: int) -> dict[str, int]:
    """Return how many events a burst has of those that say what became of each task."""
    lines = running.run_cell(cell_of(tasks), keep_trace=True).trace
    events: Counter[str] = Counter()
    for event in map(json.loads, lines):
        side = (event.get("details") or {}).get("side", "")
        events[" ".join(filter(None, (event["kind"], event.get("outcome"), side)))] += 1
    return {kind: events[kind] for kind in sorted(events)}


def main() -> None:
    logging.disable()
    with_digest = canonical.digest
    canonical.digest = lambda events: with_digest(iter(()))  # of nothing: it is taken on demand
    tasks = int(sys.argv[1])
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    sys.stdout.write(json.dumps(counted(tasks) if rounds == 0 else measured(tasks, rounds)) + "\n")


if __name__ == "__main__":
    main()
