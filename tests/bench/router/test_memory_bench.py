"""What the router holds after two days of steady load: no more than after one (RT-R6, RT-P2)."""

from __future__ import annotations

import gc
import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest

from windtunnel import canonical
from windtunnel.scenario.expanding.expansion import expand
from windtunnel.scenario.playing import running
from windtunnel.scenario.reading.loading import parse_scenario
from windtunnel.systems.router.owner import Owner
from windtunnel.trace import Event
from windtunnel.units import HOUR, SECOND
from windtunnel.world import Main, RunEnd
from windtunnel_models.cluster.external import ExternalPlatform
from windtunnel_models.loop.roster import Roster
from windtunnel_models.world import SimWorld

pytestmark = pytest.mark.bench

# A little more than the instances can do, so that some go outside; each program crashes once, some
# messages are lost and work fails now and then.
HOURS_OF_LOAD = """
format: 1
name: hours-of-load
system: router
policy: specified
timeline:
  - at: 0s
    submit: task
    id: t
    repeat: {tasks}
    every: {every}s
    args: {{work: 150s}}
faults:
  - {{at: 10min, do: crash, target: dispatcher, for: 5s}}
  - {{at: 20min, do: crash, target: backend, for: 5s}}
  - {{at: 30min, do: crash, target: bridge-0, for: 1min}}
  - {{at: 40min, do: lose, between: [backend, dispatcher], share: 0.2, for: 5min}}
  - {{at: 50min, do: fail_work, target: inst-0, times: 5, for: 10min}}
until: {hours}h
limits: {{sim: 60h, wall: 10min, events: 5000000}}
expect:
  - balance: {{}}
"""
EVERY_S = 36
SHORT, LONG = 26, 50
"""Hours between whose ends nothing may have piled up: ids are known for 24."""
IN_FLIGHT = 300
"""Objects that tasks under way hold: so many more or less say nothing."""


class Hours(NamedTuple):
    """What some hours of virtual time came to."""

    seconds: float
    """CPU time."""
    events: int
    held: Counter[str]
    """Type → how many objects services, world and the rest of the process hold at the end."""


@pytest.fixture(autouse=True)
def neither_digest_nor_log(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Take the digest off, and the log, of which pytest keeps every record."""
    monkeypatch.setattr(canonical, "digest", lambda _trace: "")
    logging.disable()
    yield
    logging.disable(logging.NOTSET)


def held(world: SimWorld) -> Counter[str]:
    """Count what is held but for the trace, and what others remember of every task.

    These are its owner, and the external platform with the newest 10,000.
    """
    rosters: tuple[Roster[Any], ...] = (world.loop._tasks, world.loop.env.processes)
    for roster in rosters:
        roster._members[:] = list(roster)  # of finished ones it keeps a bounded number
    for one in gc.get_objects():
        if isinstance(one, Owner):
            closed = [id_ for id_, owned in one._tasks.items() if owned.closed.done()]
            for id_ in closed:
                del one._tasks[id_]
        elif isinstance(one, ExternalPlatform):
            one._over.clear()
    gc.collect()
    told = {id(event.details) for event in world.trace}
    return Counter(
        type(one).__qualname__
        for one in gc.get_objects()
        if not isinstance(one, Event) and id(one) not in told
    )


def played(hours: int, monkeypatch: pytest.MonkeyPatch) -> Hours:
    """Play so many hours; look at what is held a second before their end."""
    looks: list[Counter[str]] = []

    def run(world: SimWorld, main: Main) -> RunEnd:
        async def watched() -> None:
            end = (hours * HOUR - SECOND) / SECOND
            world.loop.call_later(end, lambda: looks.append(held(world)))
            await main()

        return original(world, watched)

    original = SimWorld.run
    tasks = hours * 3600 // EVERY_S
    text = HOURS_OF_LOAD.format(hours=hours, tasks=tasks, every=EVERY_S)
    (cell,) = expand(parse_scenario(text, "bench.yaml"))
    with monkeypatch.context() as patch:
        patch.setattr(SimWorld, "run", run)
        began = time.process_time()
        result = running.run_cell(cell)
        seconds = time.process_time() - began
    assert result.verdict == "pass", (result.verdict, result.reason)
    return Hours(seconds, result.events, looks[0])


@pytest.mark.spec("RT-R6", "RT-P2")
def test_a_day_of_load_leaves_nothing_behind(
    figure: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    short, long = played(SHORT, monkeypatch), played(LONG, monkeypatch)
    before, after = sum(short.held.values()), sum(long.held.values())
    figure(
        f"{LONG} h of steady load on the router: {long.seconds:.1f} CPU s, {long.events:,} events; "
        f"objects held: {before:,} after {SHORT} h, {after:,} after {LONG} h"
    )
    grown = {kind: count for kind, count in (long.held - short.held).items() if count > 20}
    assert after - before <= IN_FLIGHT, grown
