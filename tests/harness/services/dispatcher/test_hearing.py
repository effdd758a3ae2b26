"""The hearing: runs that were given up, and go on all the same."""

from __future__ import annotations

import pytest

from dispatcher_kit import Client, ScriptedBridge, Site, play_scripted


@pytest.mark.spec("RT-C3")
def test_a_lost_run_that_goes_on_is_the_tasks_again_while_it_waits() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        client.takes = lambda task: False
        await bridge.join(a=None)
        await client.submit("t")
        await bridge.keep_alive(0.8)
        assert site.books.places["t"] == "pending"
        await bridge.alive(a=("t", 1))
        assert site.books.places["t"] == "processing"
        assigned = [details["instance"] for _, details in site.notes("task.assigned")]
        assert assigned == ["a", "a"]
        assert len(bridge.runs) == 1
        await bridge.done("t", "a", 1)
        assert client.told("t")[-1] == "SUCCESS"
        assert site.figures["busy"] == 0

    play_scripted(test)


@pytest.mark.spec("RT-C3")
def test_an_older_run_is_not_and_its_instance_is_left_alone() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        client.takes = lambda task: False
        await bridge.join(a=None, b=None)
        await client.submit("t", preferred_instance="a")
        await bridge.keep_alive(0.8, b=None)
        await bridge.keep_alive(0.8)
        assert site.books.places["t"] == "pending"
        await bridge.alive(a=("t", 1))
        assert site.books.places["t"] == "pending"
        assert site.figures["busy"] == 1
        await bridge.alive(b=None)
        assert [run["attempt"] for run in bridge.runs] == [1, 2, 3]

    play_scripted(test)


def test_an_instance_that_another_bridge_says_is_gone_is_not() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None)
        other = ScriptedBridge(site.world, "bridge-8")
        await other.join()
        await other.say("INSTANCE_OFFLINE", instanceId="a", reason="crashed")
        assert site.figures["online"] == 1
        # One that moves is the new one's; what it has goes with it.
        await client.submit("t")
        await other.alive(a=("t", 1))
        await other.done("t", "a")
        assert client.told("t") == ["SUCCESS"]
        assert site.figures["instances"] == 1

    play_scripted(test)
