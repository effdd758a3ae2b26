"""The dispatcher as a whole: whatever befalls it, each accepted task ends once."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dispatcher_kit import Client, Site, play_site
from net_kit import Lan, play_on_hosts
from windtunnel.errors import FaultError
from windtunnel.policies.router.router_options import LISTED, RouterOptions
from windtunnel.ports.network import NetworkError
from windtunnel.services.dispatcher.dispatcher import Dispatcher
from windtunnel.services.dispatcher.settings import DispatcherSettings, SettingsError
from windtunnel.services.note import ignore
from windtunnel.units import MS
from windtunnel.world import Fault, Ties

INSTANCES = [f"inst-{number}" for number in range(4)]
PLACES = ["dispatcher", "bridge-0", "bridge-1", *INSTANCES]

FAULTS = st.one_of(
    st.fixed_dictionaries({"do": st.just("crash"), "target": st.sampled_from(PLACES)}),
    st.fixed_dictionaries({"do": st.just("partition"), "target": st.sampled_from(PLACES)}),
    st.fixed_dictionaries({"do": st.just("off"), "target": st.sampled_from([INSTANCES[:2]])}),
    st.fixed_dictionaries({"do": st.just("store_down"), "target": st.just("dispatcher")}),
    st.fixed_dictionaries(
        {
            "do": st.sampled_from(["silent", "flap"]),
            "between": st.sampled_from([["dispatcher", "bridge-0"], ["dispatcher", "backend"]]),
        }
    ),
    st.fixed_dictionaries(
        {
            "do": st.sampled_from(["lose", "duplicate"]),
            "between": st.sampled_from([["dispatcher", "bridge-0"], ["dispatcher", "backend"]]),
            "times": st.integers(1, 6),
        }
    ),
    st.fixed_dictionaries(
        {"do": st.just("fail_work"), "target": st.just(INSTANCES), "times": st.integers(1, 5)}
    ),
)
TIMED = st.tuples(st.integers(0, 30), st.integers(1, 25), FAULTS)
"""(when it begins, how long it lasts), in tenths of a second."""


async def submit_until_taken(client: Client, op: str, seconds: float) -> None:
    """As a backend does: again and again, by the same id, until it is answered."""
    while True:
        try:
            async with asyncio.timeout(2):
                answer = await client.post(op, seconds)
            if answer.status == 200:
                return
        except (NetworkError, TimeoutError):
            pass
        await asyncio.sleep(0.3)


@pytest.mark.spec("RT-R3", "RT-C1", "RT-C3", "RT-B3", "RT-B4", "RT-X2", "F-R9")
@settings(max_examples=60)
@given(
    st.lists(TIMED, max_size=4),
    st.integers(1, 10),
    st.integers(0, 4),
    st.booleans(),
    st.integers(0, 3),
)
def test_for_all_faults_each_task_ends_once_and_its_owner_is_told(
    timed: list[tuple[int, int, Mapping[str, Any]]],
    tasks: int,
    latency: int,
    takes: bool,
    seed: int,
) -> None:
    """The books are looked at after each commit; in the end every task was told of."""

    async def test(site: Site, client: Client) -> None:
        client.takes = lambda task: takes

        async def befall(number: int) -> None:
            begins, lasts, fields = timed[number]
            await asyncio.sleep(begins / 10)
            args = {name: value for name, value in fields.items() if name != "do"}
            fault = Fault(f"f-{number}", fields["do"], args)
            try:
                site.world.inject(fault)
            except FaultError:
                return  # what is down cannot crash again
            await asyncio.sleep(lasts / 10)
            site.world.undo(fault)

        async with asyncio.TaskGroup() as group:
            for number in range(len(timed)):
                group.create_task(befall(number))
            for number in range(tasks):
                group.create_task(submit_until_taken(client, f"t.{number}", 0.7))
        await asyncio.sleep(180)
        figures = site.figures
        assert figures["pending"] == figures["processing"] == figures["offered"] == 0
        assert figures["webhooks"] == figures["journal"] == figures["degraded"] == 0
        fails = any(fields["do"] == "fail_work" for _, _, fields in timed)
        for number in range(tasks):
            told = set(client.told(f"t.{number}"))
            ends = told - {"OFFERED"}
            assert ends <= ({"SUCCESS", "FAILED"} if fails else {"SUCCESS"})
            assert len(ends) == 1 or (takes and told == {"OFFERED"})

    ties = Ties("seeded", seed) if seed else Ties()
    play_site(test, network={"latency": latency * MS}, ties=ties)


@pytest.mark.spec("RT-C2", "RT-C1")
@pytest.mark.parametrize("do", ["crash", "partition"])
def test_two_of_four_instances_drop(do: str) -> None:
    async def test(site: Site, client: Client) -> None:
        await client.submit(*(f"t.{number}" for number in range(8)), seconds=1)
        await asyncio.sleep(0.5)
        site.inject(do, target=["inst-0", "inst-2"])
        await asyncio.sleep(0.65)
        assert site.figures["online"] == 2
        assert site.figures["processing"] <= 2
        await asyncio.sleep(6)
        assert sorted(body["client_task_id"] for _, body in client.called) == [
            f"t.{number}" for number in range(8)
        ]

    play_site(test)


@pytest.mark.spec("RT-B1")
def test_without_instances_tasks_that_nobody_takes_wait() -> None:
    async def test(site: Site, client: Client) -> None:
        client.takes = lambda task: False
        await client.submit("t")
        await asyncio.sleep(60)
        assert site.figures["pending"] == 1
        assert (await client.health())["onlineInstances"] == 0

    play_site(test, internal=0, bridges=1)


@pytest.mark.spec("RT-B2")
def test_a_burst_of_a_thousand_goes_through() -> None:
    async def test(site: Site, client: Client) -> None:
        answers = await asyncio.gather(*(client.post(f"t.{n}", 0.1) for n in range(1030)))
        taken = sum(answer.status == 200 for answer in answers)
        # The queue holds 1000; what instances have taken meanwhile made room.
        assert 1000 <= taken <= 1030
        assert {answer.status for answer in answers} <= {200, 429}
        await asyncio.sleep(10)
        assert site.figures["completed"] == 1000
        assert len({body["client_task_id"] for _, body in client.called}) == taken

    play_site(test, internal=30, bridges=3)


@pytest.mark.spec("RT-B4")
def test_equal_runs_have_equal_traces() -> None:
    def once() -> list[Any]:
        async def test(site: Site, client: Client) -> None:
            await client.submit(*(f"t.{number}" for number in range(12)))
            await site.fault(1, "crash", target="bridge-0")
            await asyncio.sleep(10)

        return [tuple(event) for event in play_site(test, network={"latency": MS}).world.trace]

    assert once() == once()


def test_as_listed_it_still_ends() -> None:
    async def test(site: Site, client: Client) -> None:
        await asyncio.gather(*(client.post(f"t.{number}", 1) for number in range(6)))
        site.inject("crash", target="inst-1")
        await asyncio.sleep(60)
        assert site.figures["processing"] == 0

    listed = {
        name: value
        for name, value in LISTED.items()
        if name in ("choice", "claim", "retry_count", "expiry", "webhook", "shrink")
    }
    play_site(test, options=listed)


@pytest.mark.spec("RT-J1", "RT-G1")
def test_without_credentials_it_does_not_begin() -> None:
    async def body(lan: Lan) -> None:
        ports = await lan.host("dispatcher")
        with pytest.raises(SettingsError, match="MD_USERNAME and MD_PASSWORD"):
            Dispatcher(ports, DispatcherSettings(), RouterOptions(), ignore, Random(0))

    play_on_hosts(body)
