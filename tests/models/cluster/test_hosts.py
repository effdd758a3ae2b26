"""Hosts: programs that run, crash, are stopped and are started again."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from net_kit import (
    PORT,
    Lan,
    get,
    never_ends,
    number,
    play_on_hosts,
    refuse,
    trace_digest,
    url,
    within,
)
from windtunnel.errors import FaultError, WorldError
from windtunnel.ports.hosts import HostPorts, Hosts
from windtunnel.ports.network import UnreachableError
from windtunnel.ports.store import Put
from windtunnel_models.access import AccessLog
from windtunnel_models.cluster.hosts import SimHosts
from windtunnel_models.errors import BackgroundError


def told(lan: Lan) -> list[tuple[Any, ...]]:
    return [
        (event.time // 1_000_000, event.kind, event.resource, *event.details.values())
        for event in lan.trace
        if event.kind.startswith("host.")
    ]


def test_they_are_hosts() -> None:
    async def body(lan: Lan) -> None:
        assert isinstance(lan.hosts, Hosts)

    play_on_hosts(body)


def test_a_program_has_the_ports_of_its_host() -> None:
    async def body(lan: Lan) -> None:
        environment = {"a": {"WHO": "me"}}
        hosts = SimHosts(lan.loop.env, lan.trace, AccessLog(), lan.network, environment)
        seen: list[HostPorts] = []

        async def program(ports: HostPorts) -> None:
            seen.append(ports)

        hosts.start("a", program)
        hosts.start("b", program)
        await asyncio.sleep(0)
        assert [ports.name for ports in seen] == ["a", "b"]
        assert [ports.environment for ports in seen] == [{"WHO": "me"}, {}]

    play_on_hosts(body)


def test_a_crash_and_what_comes_after_stand_in_the_trace() -> None:
    async def body(lan: Lan) -> None:
        ports = await lan.host("a")
        assert ports.alive()
        await asyncio.sleep(1)
        lan.hosts.crash("a")
        assert not ports.alive()
        assert not lan.hosts.is_up("a")
        await asyncio.sleep(1)
        lan.hosts.restart("a")
        lan.hosts.restart("a")
        await asyncio.sleep(0)
        assert lan.lives["a"][-1].alive()
        assert not ports.alive()

    assert told(play_on_hosts(body)) == [
        (0, "host.started", "a"),
        (1000, "host.crashed", "a", "killed"),
        (2000, "host.started", "a"),
    ]


def test_only_what_is_up_can_be_crashed() -> None:
    async def body(lan: Lan) -> None:
        await lan.host("a")
        await lan.host("b")
        lan.hosts.crash("a")
        for name in ("a", "nobody"):
            with pytest.raises(FaultError, match=f"`{name}` is not up at that instant; up are b"):
                lan.hosts.crash(name)

    play_on_hosts(body)


def test_a_host_runs_one_program_at_a_time() -> None:
    async def body(lan: Lan) -> None:
        await lan.host("a")
        with pytest.raises(ValueError, match="`a` runs a program already"):
            await lan.host("a")
        lan.hosts.crash("a")
        await lan.host("a")
        assert len(lan.lives["a"]) == 2

    play_on_hosts(body)


class Grouped(Exception):
    """What a task of a group raises."""


async def raises(ports: HostPorts) -> None:
    await asyncio.sleep(1)
    raise ValueError("by itself")


async def raises_in_a_group(ports: HostPorts) -> None:
    async with asyncio.TaskGroup() as group:
        group.create_task(asyncio.sleep(100))
        await asyncio.sleep(1)
        raise Grouped


async def raises_while_it_leaves_a_group(ports: HostPorts) -> None:
    """3.11 and 3.12 count the task as cancelled after this."""

    async def child() -> None:
        await asyncio.sleep(1)
        raise Grouped

    async with asyncio.TaskGroup() as group:
        group.create_task(asyncio.sleep(100))
        group.create_task(child())


async def is_cancelled_by_what_it_awaits(ports: HostPorts) -> None:
    await asyncio.sleep(1)
    future = asyncio.get_running_loop().create_future()
    future.cancel()
    await future


@pytest.mark.parametrize(
    ("program", "error"),
    [
        (raises, "ValueError"),
        (raises_in_a_group, "Grouped"),
        (raises_while_it_leaves_a_group, "Grouped"),
        (is_cancelled_by_what_it_awaits, "CancelledError"),
    ],
)
def test_a_program_that_raises_has_crashed_and_stays_down(
    program: Any, error: str, caplog: pytest.LogCaptureFixture
) -> None:
    log: list[str] = []

    async def body(lan: Lan) -> None:
        async def tick() -> None:
            while True:
                await asyncio.sleep(0.4)
                log.append("tick")

        async def with_a_child(ports: HostPorts) -> None:
            child = asyncio.create_task(tick())
            try:
                await program(ports)
            finally:
                assert not child.done()

        lan.hosts.start("a", with_a_child)
        await asyncio.sleep(10)
        assert not lan.hosts.is_up("a")
        lan.hosts.restart("a")
        assert lan.hosts.is_up("a")
        await asyncio.sleep(10)

    with caplog.at_level(logging.ERROR):
        lan = play_on_hosts(body)
    assert told(lan)[:3] == [
        (0, "host.started", "a"),
        (1000, "host.crashed", "a", "raised", error),
        (10_000, "host.started", "a"),
    ]
    assert log == ["tick"] * 4
    assert "the program of a raised" in caplog.text


@pytest.mark.parametrize("grouped", [False, True])
def test_a_program_that_meets_a_broken_world_ends_the_run(grouped: bool) -> None:
    async def breaks() -> None:
        raise WorldError("broken")

    async def body(lan: Lan) -> None:
        async def program(ports: HostPorts) -> None:
            if not grouped:
                await breaks()
            async with asyncio.TaskGroup() as group:
                group.create_task(breaks())

        lan.hosts.start("a", program)
        await asyncio.sleep(1)

    with pytest.raises(BackgroundError, match=r"WorldError\('broken'\)"):
        play_on_hosts(body)


def test_a_program_that_returns_has_ended_as_if_stopped() -> None:
    async def body(lan: Lan) -> None:
        async def program(ports: HostPorts) -> None:
            await asyncio.sleep(1)

        lan.hosts.start("a", program)
        await asyncio.sleep(2)
        assert not lan.hosts.is_up("a")
        lan.hosts.restart("a")
        assert not lan.hosts.is_up("a")
        await lan.host("a")

    assert [kind for _, kind, *_ in told(play_on_hosts(body))] == ["host.started"] * 2


def test_stop_lets_a_program_end_itself_for_good() -> None:
    async def body(lan: Lan) -> None:
        async def program(ports: HostPorts) -> None:
            try:
                await asyncio.sleep(100)
            finally:
                await asyncio.sleep(2)
                await ports.store.commit([Put("k", "a", "the end")])

        lan.hosts.start("a", program)
        await asyncio.sleep(1)
        await lan.hosts.stop("a")
        assert lan.now_ms == 3000
        assert lan.hosts.store("a").get("k", "a") == "the end"
        lan.hosts.restart("a")
        assert not lan.hosts.is_up("a")
        await lan.hosts.stop("a")
        await lan.hosts.stop("nobody")
        assert lan.now_ms == 3000

    assert [kind for _, kind, *_ in told(play_on_hosts(body))] == ["host.started"]


def test_stop_kills_what_does_not_end() -> None:
    async def body(lan: Lan) -> None:
        async def program(ports: HostPorts) -> None:
            while True:
                try:
                    await asyncio.sleep(1)
                except asyncio.CancelledError:
                    continue

        lan.hosts.start("a", program)
        await asyncio.sleep(1)
        await lan.hosts.stop("a")
        assert lan.now_ms == 6000
        assert not lan.hosts.is_up("a")

    play_on_hosts(body)


def test_a_crash_while_it_is_stopped_is_the_end_too() -> None:
    async def body(lan: Lan) -> None:
        async def program(ports: HostPorts) -> None:
            try:
                await asyncio.sleep(100)
            finally:
                await asyncio.sleep(100)

        lan.hosts.start("a", program)
        await asyncio.sleep(1)
        stopping = asyncio.create_task(lan.hosts.stop("a"))
        await asyncio.sleep(1)
        lan.hosts.crash("a")
        lan.hosts.restart("a")
        await stopping
        assert lan.now_ms == 2000
        assert not lan.hosts.is_up("a")

    play_on_hosts(body)


def test_a_dead_program_s_ports_are_dead() -> None:
    async def body(lan: Lan) -> None:
        async def echo(channel: Any) -> None:
            while True:
                await channel.send(await channel.receive())

        await lan.host("peer", handler=refuse, on_channel=echo)
        ports = await lan.host("a")
        channel = await within(1, ports.network.connect(url("peer")))
        lan.hosts.crash("a")
        ports.network.serve(PORT, refuse)
        ports.network.serve(PORT, refuse)
        calls: list[Callable[[], Any]] = [
            lambda: ports.network.request(get("peer")),
            lambda: ports.network.connect(url("peer")),
            lambda: channel.send(number(1)),
            channel.receive,
            channel.close,
            lambda: ports.store.get("k", "a"),
        ]
        for call in calls:
            assert await never_ends(call(), 10)

    play_on_hosts(body)


@given(
    steps=st.lists(
        st.sampled_from(["crash a", "crash b", "restart a", "restart b", "wait", "wait 5"]),
        max_size=12,
    ),
    seed=st.integers(0, 3),
)
def test_a_world_with_crashes_is_the_same_in_each_run(steps: list[str], seed: int) -> None:
    """Two programs that call one another, whatever becomes of them: no run fails, all are equal."""

    async def body(lan: Lan) -> None:
        for name in ("a", "b"):
            lan.hosts.start(name, partial(call_the_other, lan))
        for step in steps:
            verb, _, name = step.partition(" ")
            if verb == "wait":
                await asyncio.sleep(0.0055 * int(name or 1))
            elif verb == "restart":
                lan.hosts.restart(name)
            elif lan.hosts.is_up(name):
                lan.hosts.crash(name)

    runs = [play_on_hosts(body, seed=seed, latency={"min": 1, "max": 10**7}) for _ in range(2)]
    assert trace_digest(runs[0]) == trace_digest(runs[1])
    for name in ("a", "b"):
        first, second = (run.hosts.store(name).first("calls", 10**6) for run in runs)
        assert first == second


async def call_the_other(lan: Lan, ports: HostPorts) -> None:
    other = "b" if ports.name == "a" else "a"
    ports.network.serve(PORT, refuse)
    count = 0
    while True:
        count += 1
        try:
            await ports.network.request(get(other))
            await ports.store.commit([Put("calls", str(count), "answered")])
        except UnreachableError:
            details = {"alert": ports.name, "severity": "warning", "value": count}
            lan.trace.record("alert.raised", details=details)
        await asyncio.sleep(0.01)
