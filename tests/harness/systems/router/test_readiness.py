"""The readiness: the timeline begins when the backend knows who is there, or after 5 s."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from windtunnel.systems.router.readiness import LONGEST_S, ready
from windtunnel_models.loop.sim_loop import SimLoop


def begun(kit: Any, given: dict[str, Any]) -> tuple[float, dict[str, Any]]:
    """Return when the timeline begins (s), and what is observed then."""
    seen: dict[str, Any] = {}
    bench = kit.bench(given)

    async def main(system: Any) -> None:
        seen.update(system.observe(), at=bench.world.loop.time())

    bench.play(main)
    return seen.pop("at"), seen


@pytest.mark.parametrize("internal", [0, 1, 30])
def test_it_takes_next_to_no_time_where_the_network_takes_none(kit: Any, internal: int) -> None:
    at, seen = begun(kit, {"fleet": {"internal": internal}, "network": {"latency": "0s"}})
    assert at <= 0.001  # by which the dispatcher may space its reports
    assert (seen["online"], seen["capacity_internal"]) == (internal, internal)
    assert seen["degraded"] is (internal == 0)


def test_it_takes_as_long_as_the_parties_need(kit: Any) -> None:
    at, seen = begun(kit, {"network": {"latency": "20ms"}})
    assert 0.02 < at < 0.5
    assert (seen["online"], seen["degraded"]) == (4, False)


def test_those_that_are_off_are_not_waited_for(kit: Any) -> None:
    at, seen = begun(kit, {"fleet": {"off": ["inst-0", "inst-3"]}})
    assert at < 0.5
    assert seen["online"] == 2


def test_it_begins_all_the_same_when_they_find_no_way(kit: Any) -> None:
    at, seen = begun(kit, {"network": {"loss": 1}})
    assert at == LONGEST_S
    assert seen["capacity_internal"] == 0


class Parties:
    """Programs whose backend knows what a test says, and is degraded until that says no more."""

    def __init__(self) -> None:
        self.degraded = True
        self.heard: list[Any] = []
        self.backend = (self, None)

    def observe(self) -> dict[str, bool]:
        return {"degraded": self.degraded}

    def listen(self, heard: Any) -> Any:
        self.heard.append(heard)
        return lambda: self.heard.remove(heard)

    def tell(self, kind: str, **details: Any) -> None:
        for heard in tuple(self.heard):
            heard(kind, details)


def waits(online: int, *steps: Any) -> float:
    """Return when it is ready (s): a step is taken each second."""
    parties: Any = Parties()
    loop = SimLoop()

    async def main() -> float:
        waiting = asyncio.create_task(ready(parties, online))
        for step in steps:
            await asyncio.sleep(1)
            step(parties)
        await waiting
        assert parties.heard == []
        return loop.time()

    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        return runner.run(main())


def knows(online: int) -> Any:
    return lambda parties: parties.tell("capacity.known", online=online)


def relies(parties: Any) -> None:
    parties.degraded = False
    parties.tell("health.checked")


def test_it_waits_for_all_that_are_online_and_until_they_are_relied_on() -> None:
    assert waits(2, knows(1), relies, knows(2)) == 3
    assert waits(2, knows(2), knows(2), relies) == 3
    assert waits(2, knows(2), knows(1), relies, knows(2)) == 4
    assert waits(2, knows(1), relies) == LONGEST_S
    assert waits(2, knows(2)) == LONGEST_S


def test_where_nobody_is_there_a_report_is_enough() -> None:
    assert waits(0, knows(0)) == 1
    assert waits(0) == LONGEST_S
