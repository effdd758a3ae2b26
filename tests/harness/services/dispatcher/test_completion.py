"""The completion: the first result wins, and failures are tried again."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from dispatcher_kit import Client, ScriptedBridge, Site, play_scripted, play_site


@pytest.mark.spec("RT-D3", "RT-P4")
def test_a_task_that_is_done_is_told_to_its_owner() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None)
        await client.submit("t")
        await bridge.done("t", "a", result={"image": 1})
        assert bridge.acks == [{"taskId": "t", "instanceId": "a", "attempt": 1}]
        told = {
            "taskId": "md-t",
            "client_task_id": "t",
            "status": "SUCCESS",
            "result": {"image": 1},
        }
        assert [body for _, body in client.called] == [told]
        assert site.notes("task.released") == [("t", {"instance": "a", "why": "done"})]
        assert site.figures["busy"] == 0
        assert site.figures["webhooks"] == 0

    play_scripted(test)


@pytest.mark.spec("RT-D3", "F-R6")
def test_a_second_result_is_passed_over_and_acknowledged() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None)
        await client.submit("t")
        for result in ("first", "second"):
            await bridge.done("t", "a", result=result)
        assert len(bridge.acks) == 2
        assert [body["result"] for _, body in client.called] == ["first"]
        why = {"party": "dispatcher", "why": "repeated"}
        assert site.notes("result.ignored") == [("t", why)]

    play_scripted(test)


@pytest.mark.spec("RT-D4")
@pytest.mark.parametrize("failures", range(6))
def test_a_task_is_tried_again_three_times(failures: int) -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None)
        await client.submit("t", "u")
        for attempt in range(1, failures + 1):
            if len(bridge.runs) < attempt:
                break
            await bridge.failed("t", "a", attempt, f"error {attempt}")
        if failures <= 3:
            await bridge.done("t", "a", failures + 1)
            assert client.told("t") == ["SUCCESS"]
        else:
            assert client.called[0][1]["error"] == "error 4"
            assert client.told("t") == ["FAILED"]
        requeued = [details["retries"] for _, details in site.notes("task.requeued")]
        assert requeued == [1, 2, 3][: min(failures, 3)]
        # It went to the head each time: the other waits until it is over.
        runs = [run["taskId"] for run in bridge.runs]
        assert runs == ["t"] * min(failures + 1, 4) + ["u"]

    play_scripted(test)


@pytest.mark.spec("F-R16")
def test_as_listed_the_count_of_retries_is_lost() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None)
        await client.submit("t")
        for attempt in range(1, 9):
            await bridge.failed("t", "a", attempt)
        assert not client.called
        assert {details["retries"] for _, details in site.notes("task.requeued")} == {1}

    play_scripted(test, options={"retry_count": "lost"})


@pytest.mark.spec("RT-D4")
def test_the_wait_before_a_retry_doubles() -> None:
    async def test(site: Site, client: Client) -> None:
        site.inject("fail_work", target=["inst-0"], error="broken")
        await client.submit("t", seconds=1)
        await asyncio.sleep(20)
        starts = [event.time / 1e9 for event in site.world.trace.of("work.started")]
        gaps = [b - a for a, b in pairwise(starts)]
        assert gaps == pytest.approx([1.5, 2, 3])
        assert client.told("t") == ["FAILED"]
        assert client.called[0][1]["error"] == "broken"

    play_site(test, internal=1, bridges=1, settings={"retry_backoff_s": 0.5})


@pytest.mark.spec("RT-C3")
def test_the_result_of_a_lost_run_counts_if_it_is_the_first() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None, b=None)
        await client.submit("t", preferred_instance="a")
        await bridge.keep_alive(0.8, b=None)
        assert [run["instanceId"] for run in bridge.runs] == ["a", "b"]
        await bridge.done("t", "a", 1, "from the lost")
        assert [body["result"] for _, body in client.called] == ["from the lost"]
        released = [details["why"] for _, details in site.notes("task.released")]
        assert released == ["lost", "superseded"]
        # The other is still at it, and is given nothing until it says that it is over.
        await client.submit("u")
        await bridge.alive(b=("t", 2))
        assert site.figures["pending"] == 1
        await bridge.done("t", "b", 2, "late")
        assert [run["taskId"] for run in bridge.runs] == ["t", "t", "u"]
        assert client.told("t") == ["SUCCESS"]

    play_scripted(test)


@pytest.mark.spec("RT-C3")
def test_the_result_of_a_lost_run_counts_while_the_task_waits() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None, b=None)
        await client.submit("t", "u")
        a = next(run for run in bridge.runs if run["instanceId"] == "a")["taskId"]
        b = next(run for run in bridge.runs if run["instanceId"] == "b")["taskId"]
        await bridge.keep_alive(0.8, b=(b, 1))
        assert site.books.places[a] == "pending"
        await bridge.done(a, "a")
        assert site.books.places[a] == "completed"
        assert client.told(a) == ["SUCCESS"]
        assert len(bridge.runs) == 2

    play_scripted(test)


@pytest.mark.spec("RT-D4")
def test_a_failure_of_a_lost_run_consumes_no_retry() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None, b=None)
        await client.submit("t", preferred_instance="a")
        await bridge.keep_alive(0.8, b=None)
        await bridge.failed("t", "a", 1)
        assert len(bridge.acks) == 1
        assert site.books.places["t"] == "processing"
        why = {"party": "dispatcher", "why": "late"}
        assert site.notes("result.ignored") == [("t", why)]
        await bridge.failed("t", "b", 2)
        assert site.notes("task.requeued")[-1][1] == {"retries": 1, "why": "failed"}

    play_scripted(test)


@pytest.mark.spec("RT-D4")
def test_a_late_failure_does_not_free_an_instance_of_its_next_run() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        client.takes = lambda task: False
        await bridge.join(a=None)
        await client.submit("t")
        await bridge.say("INSTANCE_OFFLINE", instanceId="a", reason="crashed")
        await bridge.alive(a=None)
        assert [run["attempt"] for run in bridge.runs] == [1, 2]
        await bridge.failed("t", "a", 1)
        assert site.figures["busy"] == 1
        assert len(bridge.runs) == 2
        assert site.books.places["t"] == "processing"
        assert "failed" not in [details["why"] for _, details in site.notes("task.requeued")]

    play_scripted(test)


@pytest.mark.spec("RT-D4")
def test_an_instance_that_is_busy_consumes_no_retry_and_gets_nothing_until_it_is_free() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None)
        await client.submit("t")
        await bridge.failed("t", "a", 1, "busy")
        assert site.notes("task.requeued") == [("t", {"retries": 0, "why": "lost"})]
        assert site.figures["pending"] == 1
        assert site.figures["busy"] == 1
        await bridge.alive(a=("x", 1))
        assert len(bridge.runs) == 1
        await bridge.alive(a=None)
        assert [run["attempt"] for run in bridge.runs] == [1, 2]

    play_scripted(test)


@pytest.mark.spec("F-R3")
def test_as_listed_nobody_is_told() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None)
        await client.submit("t")
        await bridge.done("t", "a")
        await asyncio.sleep(100)
        assert not client.called
        assert (await client.query("t"))["status"] == "SUCCESS"

    play_scripted(test, options={"webhook": "never"})


@pytest.mark.spec("RT-D3")
def test_a_result_for_a_task_that_nobody_knows_is_passed_over() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=("x", 1))
        await bridge.done("x", "a")
        await bridge.failed("y", "a")
        assert len(bridge.acks) == 2
        assert [op for op, _ in site.notes("result.ignored")] == ["x", "y"]
        assert site.figures["busy"] == 0

    play_scripted(test)
