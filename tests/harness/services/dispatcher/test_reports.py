"""The reports: after each change, at the latest every so often, and numbered."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dispatcher_kit import Client, ScriptedBridge, Site, play_scripted, play_site
from windtunnel.units import MS

pytestmark = pytest.mark.spec("RT-W4")


def test_there_is_one_every_ten_seconds_and_they_are_numbered() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await client.connect()
        await asyncio.sleep(35)
        at = [when for when, _ in client.reports]
        assert len(at) == 4
        assert all(b - a == pytest.approx(10, abs=0.01) for a, b in pairwise(at))
        numbers = [report["sequence"] for _, report in client.reports]
        assert numbers == list(range(numbers[0], numbers[0] + 4))

    play_scripted(test)


def test_each_change_is_told_at_its_instant() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await client.connect()
        await asyncio.sleep(0.1)

        def last() -> tuple[float, tuple[int, int, int]]:
            when, report = client.reports[-1]
            summary = report["summary"]
            names = ("totalInstances", "onlineInstances", "busyInstances")
            return when, tuple(summary[name] for name in names)

        async def now(figures: tuple[int, int, int]) -> None:
            instant = site.world.loop.time()
            await asyncio.sleep(0.05)
            assert last() == (instant, figures)

        await bridge.join(a=None, b=None)
        await now((2, 2, 0))
        await client.submit("t", preferred_instance="a")
        await now((2, 2, 1))
        await bridge.done("t", "a")
        await now((2, 2, 0))
        await bridge.say("INSTANCE_OFFLINE", instanceId="a", reason="crashed")
        await now((2, 1, 0))
        assert bridge.channel is not None
        await bridge.channel.close()
        await now((2, 0, 0))

    play_scripted(test)


def test_nothing_is_told_of_what_does_not_change() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await client.connect()
        await bridge.join(a=None)
        await asyncio.sleep(0.1)
        before = len(client.reports)
        await bridge.keep_alive(5, a=None)
        assert len(client.reports) == before

    play_scripted(test)


@pytest.mark.spec("RT-S4", "F-R11")
@given(
    st.lists(st.tuples(st.integers(0, 12), st.integers(1, 30)), min_size=1, max_size=10),
    st.integers(1, 4),
    st.integers(0, 2),
)
def test_for_all_loads_a_task_counts_from_the_report_that_its_answer_names(
    tasks: list[tuple[int, int]], instances: int, latency: int
) -> None:
    """In that report and all later ones until it has ended it is busy somewhere, or all are busy.

    (when it is submitted, how long it works), in ms; the latency in ms.
    """

    async def test(site: Site, client: Client) -> None:
        await client.connect()
        await asyncio.sleep(0.05)
        begun = site.world.loop.time()
        counts_from: dict[str, int] = {}

        async def submit(number: int) -> None:
            at, works = tasks[number]
            await asyncio.sleep(begun + at / 1000 - site.world.loop.time())
            answer = await client.post(f"t.{number}", works / 1000)
            counts_from[f"t.{number}"] = answer.body["data"]["report"]

        await asyncio.gather(*(submit(number) for number in range(len(tasks))))
        await asyncio.sleep(1)
        ended = {e.op: e.time for e in site.world.trace.of("task.released")}
        assert len(ended) == len(tasks)
        for when, report in client.reports:
            unfinished = [
                op
                for op, sequence in counts_from.items()
                if sequence <= report["sequence"] and round(when * 1e9) - latency * MS < ended[op]
            ]
            summary = report["summary"]
            least = min(len(unfinished), summary["onlineInstances"])
            assert summary["busyInstances"] >= least
            assert summary["availableCapacity"] <= instances - least

    play_site(test, internal=instances, bridges=1, network={"latency": latency * MS})


def test_the_reports_of_one_instant_are_one() -> None:
    async def test(site: Site, client: Client) -> None:
        await client.connect()
        await asyncio.sleep(0.05)
        await asyncio.gather(*(client.post(f"t.{number}", 1) for number in range(8)))
        await asyncio.sleep(5)
        at = [when for when, _ in client.reports]
        assert len(set(at)) == len(at)
        assert client.reports[-1][1]["summary"]["busyInstances"] == 0

    play_site(test, internal=8)


def test_so_they_are_when_they_come_one_after_the_other() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await client.connect()
        await bridge.join(a=None, b=None, c=None)
        await client.submit("t", "u", "v")
        assert len({run["taskId"] for run in bridge.runs}) == 3
        await asyncio.sleep(0.1)
        at = [when for when, _ in client.reports]
        assert len(set(at)) == len(at)
        assert client.reports[-1][1]["summary"]["busyInstances"] == 3

    play_scripted(test)
