"""The API: what each endpoint answers."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from dispatcher_kit import Client, ScriptedBridge, Site, play_scripted, play_site
from windtunnel.services.wire.addresses import CALLBACK_URL

GOOD = {"workflow_id": "w", "client_task_id": "t", "webhookUrl": CALLBACK_URL}


def refused(answer: Any) -> tuple[int, bool]:
    assert answer.body["code"] == answer.status
    assert answer.body["error"]
    return answer.status, answer.body["success"]


@pytest.mark.spec("RT-A3", "RT-A4")
def test_a_submission_is_answered_with_its_name() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        answer = await client.post("t")
        assert answer.status == 200
        assert answer.body["success"] is True
        data = answer.body["data"]
        assert (data["requestId"], data["taskId"]) == ("md-t", "t")
        assert site.notes("task.accepted") == [("t", {"pending": 1})]

    play_scripted(test)


@pytest.mark.spec("RT-R3")
def test_a_task_that_is_submitted_again_has_the_same_name_and_runs_once() -> None:
    async def test(site: Site, client: Client) -> None:
        for wait in (0.1, 3, 3):
            answer = await client.post("t", seconds=1)
            assert answer.body["data"]["requestId"] == "md-t"
            await asyncio.sleep(wait)
        assert [op for op, _ in site.notes("task.repeated")] == ["t", "t"]
        assert len(site.notes("task.accepted")) == 1
        assert len(list(site.world.trace.of("work.started"))) == 1
        assert client.told("t") == ["SUCCESS"]

    play_site(test)


@pytest.mark.spec("RT-J1", "RT-J2")
@pytest.mark.parametrize("token", ["", "x.y.z", "nonsense"])
def test_without_a_token_of_ours_there_is_nothing(token: str) -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        for method, path in (
            ("POST", "/api/task"),
            ("GET", "/api/task?requestId=md-t"),
            ("GET", "/api/overview"),
        ):
            assert refused(await client.ask(method, path, GOOD, token)) == (401, False)
        wrong = {"username": "task-queue-backend", "password": token}
        assert refused(await client.ask("POST", "/api/auth/login", wrong)) == (401, False)
        assert refused(await client.ask("POST", "/api/auth/login", None)) == (401, False)
        assert (await client.health())["status"] == "ok"

    play_scripted(test)


@pytest.mark.spec("RT-J1")
def test_a_token_expires() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await asyncio.sleep(9.9)
        assert (await client.post("t")).status == 200
        await asyncio.sleep(0.2)
        assert (await client.post("u")).status == 401
        await client.log_in()
        assert (await client.post("u")).status == 200

    play_scripted(test, settings={"token_lifetime_s": 10.0})


@pytest.mark.spec("RT-K1")
@pytest.mark.parametrize(
    "body",
    [
        None,
        [],
        {},
        {**GOOD, "workflow_id": ""},
        {**GOOD, "node_info_list": "x"},
        {**GOOD, "client_task_id": ""},
        {**GOOD, "client_task_id": 7},
        {**GOOD, "webhookUrl": 7},
        {**GOOD, "strange": {1, 2}},
    ],
)
def test_a_task_of_the_wrong_form_is_refused(body: Any) -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        assert refused(await client.ask("POST", "/api/task", body)) == (400, False)
        assert site.figures["pending"] == 0

    play_scripted(test)


@pytest.mark.spec("RT-B2")
def test_the_queue_is_bounded() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        answers = await asyncio.gather(*(client.post(f"t.{number}") for number in range(8)))
        assert sorted(answer.status for answer in answers) == [200] * 5 + [429] * 3
        assert site.figures["pending"] == 5
        full = next(answer for answer in answers if answer.status == 429)
        assert refused(full) == (429, False)
        assert (await client.post("t.0")).status == 200  # it is known

    play_scripted(test, settings={"queue_max": 5})


@pytest.mark.spec("RT-A4")
def test_what_has_become_of_a_task() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        assert (await client.query("t"))["status"] == "UNKNOWN"
        await client.submit("t", "u")
        assert await client.query("t") == {
            "requestId": "md-t",
            "client_task_id": "t",
            "status": "PENDING",
        }
        await bridge.join(a=None, b=None)
        assert (await client.query("t"))["status"] == "RUNNING"
        place = {run["taskId"]: run["instanceId"] for run in bridge.runs}
        await bridge.done("t", place["t"], result=[1])
        done = await client.query("t")
        assert (done["status"], done["result"]) == ("SUCCESS", [1])
        await bridge.failed("u", place["u"], error="broken")
        failed = await client.query("u")
        assert (failed["status"], failed["error"]) == ("FAILED", "broken")
        for query in ("", "?requestId=", "?requestId=t", "?requestId=md-"):
            assert refused(await client.ask("GET", f"/api/task{query}")) == (400, False)

    play_scripted(test, settings={"retry_max": 0})


@pytest.mark.spec("RT-A4", "RT-H5", "RT-K1")
def test_how_the_dispatcher_is() -> None:
    async def test(site: Site, client: Client) -> None:
        assert await client.health() == {
            "status": "ok",
            "bridges": 2,
            "onlineInstances": 4,
            "version": "1",
        }
        fault = site.inject("store_down", target="dispatcher")
        assert refused(await client.post("t")) == (503, False)
        assert (await client.health())["status"] == "degraded"
        site.world.undo(fault)
        await asyncio.sleep(2)
        assert (await client.health())["status"] == "ok"
        for method, path in (("PUT", "/api/health"), ("GET", "/api/nothing"), ("POST", "/")):
            assert refused(await client.ask(method, path)) == (404, False)

    play_site(test)


@pytest.mark.spec("RT-A4", "RT-W4")
def test_the_overview_is_what_a_report_shows() -> None:
    async def test(site: Site, client: Client) -> None:
        await client.connect()
        await client.submit("t", seconds=60)
        await asyncio.sleep(0.1)
        overview = await client.overview()
        assert overview == client.reports[-1][1]
        assert overview["summary"] == {
            "totalBridges": 2,
            "totalInstances": 4,
            "onlineInstances": 4,
            "busyInstances": 1,
            "availableCapacity": 3,
        }
        assert [bridge["bridgeId"] for bridge in overview["bridges"]] == ["bridge-0", "bridge-1"]
        shown = [each for bridge in overview["bridges"] for each in bridge["instances"]]
        busy = [each["currentTask"] for each in shown if each["status"] == "busy"]
        assert busy == [{"taskId": "t", "startTime": "1970-01-01T00:00:00.010Z"}]

    play_site(test)


@pytest.mark.spec("RT-X2")
def test_out_of_memory_takes_no_new_tasks_and_lets_go_on_what_runs() -> None:
    async def test(site: Site, client: Client) -> None:
        await client.submit("t", seconds=1)
        queue = site.lives[-1]._shared.queue
        real = queue.accept

        async def fail(entry: Any) -> Any:
            queue.accept = real  # type: ignore[method-assign]
            raise MemoryError

        queue.accept = fail  # type: ignore[method-assign]
        for op in ("u", "v"):
            assert refused(await client.post(op)) == (503, False)
        assert (await client.health())["status"] == "degraded"
        error = {"error": "out_of_memory", "severity": "critical", "reaction": "emergency"}
        assert site.notes("error.met") == [("", {**error, "party": "dispatcher"})]
        await asyncio.sleep(2)
        assert client.told("t") == ["SUCCESS"]
        await asyncio.sleep(60)
        assert (await client.post("u")).status == 200

    play_site(test)


def test_an_unknown_error_ends_one_request_only(caplog: pytest.LogCaptureFixture) -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        queue = site.lives[-1]._shared.queue
        real, queue.accept = queue.accept, None  # type: ignore[assignment, method-assign]
        assert refused(await client.post("t")) == (500, False)
        queue.accept = real  # type: ignore[method-assign]
        assert (await client.post("t")).status == 200
        assert site.notes("error.met")[0][1]["error"] == "unknown"
        site.world.trace.of("error.met")
        site.check = lambda: None  # type: ignore[method-assign] # the error is meant

    play_scripted(test)
    assert "passed over" in caplog.text


@pytest.mark.spec("RT-B4", "RT-X2")
def test_what_the_store_has_not_told_yet_is_not_denied() -> None:
    async def test(site: Site, client: Client, bridge: ScriptedBridge) -> None:
        await bridge.join(a=None)
        await client.submit("t")
        store = site.inject("store_down", target="dispatcher")
        assert (await client.query("t"))["status"] == "RUNNING"  # it was read: that is known
        await site.fault(0.1, "crash", target="dispatcher")
        await asyncio.sleep(0.01)
        answer = await client.ask("GET", "/api/task?requestId=md-t")
        assert (answer.status, answer.body["code"]) == (503, 503)
        site.world.undo(store)
        # Whoever asks first has it read, before the dispatcher looks for itself.
        assert (await client.query("t"))["status"] == "RUNNING"
        assert (await client.query("x"))["status"] == "UNKNOWN"

    play_scripted(test)
