"""The speed of the whole bridge in simulation, and what it holds after a day of virtual time.

A flow is a send of 8 commands through scheduler, bridge and desktop, with the trace and the checks
on and the digest off. Its cost is told in CPU time, and gated as so many raw SimPy sleeps that are
measured in turns with it: that depends little on the machine.
"""

from __future__ import annotations

import gc
import json
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import pytest
import simpy

from windtunnel import canonical
from windtunnel.ports import Message
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.expanding.expansion import expand
from windtunnel.scenario.playing import running
from windtunnel.scenario.reading.loading import parse_scenario
from windtunnel.scenario.results import CellResult
from windtunnel.trace import Event
from windtunnel.units import HOUR, SECOND
from windtunnel.world import Main, RunEnd
from windtunnel_models.loop.roster import Roster
from windtunnel_models.world import SimWorld

pytestmark = pytest.mark.bench

FLOWS = 2_000
SLEEPS = 100_000
ROUNDS = 25
BAR = 4_000
"""Flows per CPU second (DESIGN §8)."""
BAR_IN_SLEEPS = 240
"""What a flow costs in raw SimPy sleeps where 4,000 a second are reached one and a half times over;
a figure in seconds alone would judge the machine."""
GATE = 0.8

SENDS = f"""
format: 1
name: flows
system: ui
policy: specified
given:
  actions: {{send_text: {{delay_after: 0s}}}}
  scheduler: {{max_queue_size: {FLOWS}}}
timeline:
  - {{at: 0s, submit: send_text, id: send, repeat: {FLOWS}, args: {{to: room-$i, text: msg $i}}}}
limits: {{sim: 100h}}
expect:
  - no_interleave: {{flows: [send_text]}}
  - mutual_exclusion: {{resource: display}}
  - conservation: {{of: [send_text], outcomes: [done]}}
  - fifo: {{within: priority}}
"""

# All background loops, every kind of traffic, restarts; a crash and a lost window early on.
A_DAY = """
format: 1
name: a-day
system: ui
policy: specified
given:
  background: {{login_guard: true, watchdog: true, friend_watcher: true, streamer: true}}
timeline:
  - at: 0s
    call: route.send_text
    id: text
    poisson: {{rate: 240/h, until: {hours}h}}
    args: {{to: room-$i, text: msg $i}}
  - at: 0s
    call: route.send_file
    id: file
    poisson: {{rate: 20/h, until: {hours}h}}
    args: {{to: room-$i, file: a.pdf}}
  - {{at: 0s, call: route.like, id: like, poisson: {{rate: 20/h, until: {hours}h}}}}
  - {{at: 0s, call: route.screenshot, id: shot, poisson: {{rate: 30/h, until: {hours}h}}}}
  - {{at: 0s, call: route.status, id: status, repeat: {looks}, every: 30s}}
  - {{at: 45min, call: route.restart, id: restart, repeat: {restarts}, every: 2h}}
faults:
  - {{at: 80min, do: kill, id: crash}}
  - {{at: 100min, do: lose_window, id: lost, for: 1min}}
until: {hours}h
limits: {{sim: 25h, wall: 10min, events: 5000000}}
expect:
  - mutual_exclusion: {{resource: display}}
  - no_interleave: {{flows: [send_text, send_file, like, screenshot, restart]}}
  - delivered_to: {{of: [send_text]}}
"""
SHORT, LONG = 2, 24
"""Hours between whose ends nothing may have piled up."""
IN_FLIGHT = 500
"""Objects that requests under way hold: so many more or less say nothing."""


@pytest.fixture(autouse=True)
def neither_digest_nor_log(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Take the digest off, and the log, of which pytest keeps every record."""
    monkeypatch.setattr(canonical, "digest", lambda _trace: "")
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


@cache
def cell_of(text: str) -> Cell:
    (cell,) = expand(parse_scenario(text, "bench.yaml"))
    return cell


def play(text: str) -> CellResult:
    result = running.run_cell(cell_of(text))
    assert result.verdict == "pass", (result.verdict, result.reason)
    return result


def sleep_raw() -> None:
    env = simpy.Environment()

    def process() -> simpy.events.ProcessGenerator:
        for _ in range(SLEEPS):
            yield env.timeout(1)

    env.process(process())
    env.run()


def cpu_seconds(program: Callable[[], object]) -> float:
    gc.collect()
    gc.freeze()  # what the test session has loaded; the command line does so before it forks
    began = time.process_time()
    program()
    spent = time.process_time() - began
    gc.unfreeze()
    return spent


# ---------------------------------------------------------------- flows


def test_a_flow_is_8_commands_and_a_message() -> None:
    """What is measured is what the bar says."""
    lines = running.run_cell(cell_of(SENDS), keep_trace=True).trace
    events = Counter((event["kind"], event.get("class")) for event in map(json.loads, lines))
    assert events["command.started", "send_text"] == 8 * FLOWS
    assert events["message.delivered", "send_text"] == FLOWS


def test_flows_per_second(figure: Callable[[str], None]) -> None:
    play(SENDS)
    rounds = [(cpu_seconds(lambda: play(SENDS)), cpu_seconds(sleep_raw)) for _ in range(ROUNDS)]
    flow, sleep = (min(side) for side in zip(*rounds, strict=True))
    per_second, in_sleeps = FLOWS / flow, (flow / FLOWS) / (sleep / SLEEPS)
    report = (
        f"flows: {per_second:,.0f} per CPU s here (bar {BAR:,}: {told(per_second >= BAR)}); each "
        f"{in_sleeps:.0f} raw SimPy sleeps (bar {BAR_IN_SLEEPS}: "
        f"{told(in_sleeps <= BAR_IN_SLEEPS)}; gate {BAR_IN_SLEEPS / GATE:.0f})"
    )
    figure(report)
    assert in_sleeps <= BAR_IN_SLEEPS / GATE, report


def told(reached: bool) -> str:
    return "reached" if reached else "MISSED"


def test_time_of_flows(benchmark: Any) -> None:
    """The time itself, for pytest-benchmark's own comparisons from run to run."""
    benchmark.extra_info["flows"] = FLOWS
    benchmark.pedantic(lambda: play(SENDS), rounds=5, warmup_rounds=1)


# ---------------------------------------------------------------- a day


class Day(NamedTuple):
    """What some hours of virtual time came to."""

    seconds: float
    """CPU time."""
    events: int
    held: Counter[str]
    """Type → how many objects the bridge, the world and the rest of the process hold at the end."""


def held(world: SimWorld) -> Counter[str]:
    """Count what is held but for the trace's events and what the application wrote down."""
    rosters: tuple[Roster[Any], ...] = (world.loop._tasks, world.loop.env.processes)
    for roster in rosters:
        roster._members[:] = list(roster)  # of finished ones it keeps a bounded number
    gc.collect()
    told = {id(event.details) for event in world.trace}
    return Counter(
        type(one).__qualname__
        for one in gc.get_objects()
        if not isinstance(one, Event | Message) and id(one) not in told
    )


def day(hours: int, monkeypatch: pytest.MonkeyPatch) -> Day:
    """Play so many hours; look at what is held a second before their end."""
    looks: list[Counter[str]] = []

    def run(world: SimWorld, main: Main) -> RunEnd:
        async def watched() -> None:
            end = (hours * HOUR - SECOND) / SECOND
            world.loop.call_later(end, lambda: looks.append(held(world)))
            await main()

        return original(world, watched)

    original = SimWorld.run
    with monkeypatch.context() as patch:
        text = A_DAY.format(hours=hours, looks=120 * hours, restarts=hours // 2)
        seconds = cpu_seconds(lambda: play(text))
        patch.setattr(SimWorld, "run", run)
        result = play(text)
    return Day(seconds, result.events, looks[0])


def test_a_day_leaves_nothing_behind(
    figure: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    short, long = day(SHORT, monkeypatch), day(LONG, monkeypatch)
    before, after = sum(short.held.values()), sum(long.held.values())
    figure(
        f"a day: {LONG} h of the bridge in {long.seconds:.1f} CPU s, {long.events:,} events; "
        f"objects held: {before:,} after {SHORT} h, {after:,} after {LONG} h"
    )
    grown = {kind: count for kind, count in (long.held - short.held).items() if count > 20}
    assert after - before <= IN_FLIGHT, grown
