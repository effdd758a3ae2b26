"""The scheduling: pending tasks go to free instances, each to one."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dispatcher_kit import Client, ScriptedBridge, Site, play_scripted, play_site, settle


@pytest.mark.spec("RT-D1")
def test_tasks_go_out_in_order_as_instances_are_free() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None, b=None)
        await client.submit("t.0", "t.1", "t.2", "t.3")
        assert [run["taskId"] for run in bridge.runs] == ["t.0", "t.1"]
        assert site.figures["pending"] == 2
        for number in range(2):
            run = bridge.runs[number]
            await bridge.done(run["taskId"], run["instanceId"])
        assert [run["taskId"] for run in bridge.runs] == ["t.0", "t.1", "t.2", "t.3"]
        assert {run["instanceId"] for run in bridge.runs[2:]} == {"a", "b"}
        assert all(run["attempt"] == 1 for run in bridge.runs)

    play_scripted(test)


@pytest.mark.spec("RT-D1")
def test_what_is_run_is_the_body_without_the_key() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None)
        await client.submit("t", strange={"deep": [1, None]})
        payload = bridge.runs[0]["payload"]
        assert payload["strange"] == {"deep": [1, None]}
        assert payload["client_task_id"] == "t"
        assert "apiKey" not in payload

    play_scripted(test)


@pytest.mark.spec("RT-D2")
def test_the_preferred_instance_is_chosen_if_it_is_free() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None, b=None, c=None)
        for op in ("t.0", "t.1"):
            await client.submit(op, preferred_instance="c")
        first, second = bridge.runs
        assert first["instanceId"] == "c"
        assert second["instanceId"] in ("a", "b")

    play_scripted(test)


@pytest.mark.spec("RT-D2")
def test_the_bridge_of_the_instance_before_comes_first() -> None:
    async def test(site: Site, client: Client) -> None:
        await client.submit(*(f"t.{number}" for number in range(6)), seconds=60)
        bridges = [details["bridge"] for _, details in site.notes("task.assigned")]
        assert bridges in (["bridge-0"] * 3 + ["bridge-1"] * 3, ["bridge-1"] * 3 + ["bridge-0"] * 3)

    play_site(test, internal=6, bridges=2)


@pytest.mark.spec("RT-D1", "F-R5")
@given(
    st.lists(st.tuples(st.integers(0, 3), st.integers(1, 4)), min_size=1, max_size=12),
    st.integers(1, 3),
)
def test_for_all_loads_each_task_is_given_out_once(
    tasks: list[tuple[int, int]], instances: int
) -> None:
    """(when it is submitted, how long it works), in tenths of a second; many at one instant."""

    async def test(site: Site, client: Client) -> None:
        async def submit(number: int) -> None:
            at, works = tasks[number]
            await asyncio.sleep(at / 10)
            await client.submit(f"t.{number}", seconds=works / 10)

        await asyncio.gather(*(submit(number) for number in range(len(tasks))))
        await asyncio.sleep(10)
        given_out = [op for op, _ in site.notes("task.assigned")]
        assert sorted(given_out) == sorted(f"t.{number}" for number in range(len(tasks)))
        assert site.figures["completed"] == len(tasks)
        started = [event.op for event in site.world.trace.of("work.started")]
        assert sorted(started) == sorted(given_out)

    play_site(test, internal=instances, bridges=1)


@pytest.mark.spec("F-R5")
def test_as_listed_overlapping_passes_give_a_task_out_twice() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None, b=None)
        await asyncio.gather(client.submit("t.0"), client.submit("t.1"))
        tasks = [run["taskId"] for run in bridge.runs]
        assert (len(set(tasks)) < len(tasks)) == (not claims)

    for claims in (True, False):
        play_scripted(test, options={"claim": claims, "choice": "occupancy"})


@pytest.mark.spec("RT-D4")
def test_a_task_left_aside_lets_others_go_first() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None)
        await client.submit("t.0", "t.1")
        await bridge.failed("t.0", "a")
        assert [run["taskId"] for run in bridge.runs] == ["t.0", "t.1"]
        await bridge.done("t.1", "a")
        await bridge.keep_alive(0.8, a=None)
        assert len(bridge.runs) == 2
        await bridge.keep_alive(0.4, a=None)
        assert (bridge.runs[2]["taskId"], bridge.runs[2]["attempt"]) == ("t.0", 2)

    play_scripted(test, settings={"retry_backoff_s": 1.0})


@pytest.mark.spec("RT-D5")
def test_an_instance_that_comes_is_given_a_task_at_once() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await client.submit("t.0", "t.1")
        await bridge.join()
        assert not bridge.runs
        await bridge.say("INSTANCE_ONLINE", bridgeId=bridge.name, instanceId="a", timestamp="x")
        assert [run["instanceId"] for run in bridge.runs] == ["a"]
        await bridge.alive(b=None)
        assert [run["instanceId"] for run in bridge.runs] == ["a", "b"]

    play_scripted(test)


@pytest.mark.spec("RT-D1")
def test_what_cannot_be_sent_goes_back_at_once() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None)
        real = site.lives[-1]._scheduling._send

        async def refuse(assignment: Any) -> bool:
            site.lives[-1]._scheduling._send = real
            return False

        site.lives[-1]._scheduling._send = refuse
        await client.submit("t")
        await settle()
        assert [op for op, _ in site.notes("task.requeued")] == ["t"]
        assert bridge.runs[0]["attempt"] == 2
        assert site.notes("task.requeued")[0][1] == {"retries": 0, "why": "lost"}

    play_scripted(test)


@pytest.mark.spec("RT-D1")
def test_an_instance_that_goes_during_a_pass_is_given_nothing() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await client.submit("t", "u")
        shared = site.lives[-1]._shared
        real, others = shared.queue.claim, ["a", "b"]

        async def claim(entry: Any, instance: str, bridge: str, now: int) -> Any:
            if len(others) == 2:
                others.remove(instance)
                shared.instances.went(others[0], "crashed")
            return await real(entry, instance, bridge, now)

        shared.queue.claim = claim  # type: ignore[method-assign]
        await bridge.join(a=None, b=None)
        assert len(bridge.runs) == 1
        assert bridge.runs[0]["instanceId"] not in others
        assert site.figures["pending"] == 1

    play_scripted(test)


@pytest.mark.spec("RT-D1", "RT-X2")
@pytest.mark.parametrize("claims", [True, False])
def test_a_pass_that_raises_is_taken_again(*, claims: bool) -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None)
        scheduling = site.lives[-1]._scheduling
        real, failures = scheduling._first, [RuntimeError("once")]

        def first(count: int) -> Any:
            if count and failures:
                raise failures.pop()
            return real(count)

        scheduling._first = first  # type: ignore[method-assign]
        await client.submit("t")
        assert not bridge.runs
        # Nobody asks again: the instance says nothing meanwhile.
        await asyncio.sleep(1.1)
        assert [run["taskId"] for run in bridge.runs] == ["t"]
        errors = [details["error"] for _, details in site.notes("error.met")]
        assert errors == ["unknown"]
        site.check = lambda: None  # type: ignore[method-assign] # the error is meant

    play_scripted(test, settings={"dead_after_s": 30.0}, options={"claim": claims})
