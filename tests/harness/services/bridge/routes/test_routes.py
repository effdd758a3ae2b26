"""Routes: the probe, the submission by the table, the reply; refusals are replies."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from windtunnel.acting import Acting, acting
from windtunnel.errors import BridgeError, Code, WorldError
from windtunnel.ports import Frame
from windtunnel.services.bridge.dispatch.endpoints import ENDPOINTS
from windtunnel.services.bridge.routes.routes import READ_ONLY

Run = Callable[[Coroutine[Any, Any, None]], None]
ARGS = {"to": "anna", "text": "hello", "file": "a.pdf", "remark": "A."}
WIRINGS = ["before", "phase1", "after"]


@pytest.mark.spec("UI-E1", "UI-C1", "UI-C6", "UI-AC1")
@pytest.mark.parametrize("wiring", WIRINGS)
@pytest.mark.parametrize("name", ENDPOINTS)
def test_every_route_in_every_wiring(run: Run, world: Any, name: str, wiring: str) -> None:
    """Before: what is direct needs no worker. After: each has its priority."""

    async def main() -> None:
        bridge = world.bridge(wiring)
        finished = world.finished(bridge)
        await bridge.start()
        acting.set(Acting("r", f"route.{name}"))
        answer = await bridge.routes.call(name, ARGS)
        assert answer.status == 200
        assert answer.body["ok"]
        row = ENDPOINTS[name]
        if wiring == "after":
            assert finished == [row.priority.name]
        else:
            assert finished == (["NORMAL"] if row.today == "queued" else [])
        first = world.desktop.commands[0] if world.desktop.commands else None
        assert (first is not None and first[2] == "login_state") is row.probe
        await bridge.stop()

    run(main())


def test_replies_carry_pictures_and_pids(run: Run, world: Any) -> None:
    async def main() -> None:
        bridge = world.bridge()
        await bridge.start()
        assert isinstance((await bridge.routes.call("screenshot", {})).body["image"], Frame)
        assert isinstance((await bridge.routes.call("qr_start", {})).body["image"], Frame)
        assert (await bridge.routes.call("restart", {})).body["pid"] == 201
        assert (await bridge.routes.call("autofix", {})).body["pid"] == 202
        await bridge.stop()

    run(main())


@pytest.mark.spec("UI-C1")
@pytest.mark.parametrize("name", ENDPOINTS)
def test_nobody_logged_in_is_409_where_the_route_probes(run: Run, world: Any, name: str) -> None:
    world.desktop.state = "qr"

    async def main() -> None:
        bridge = world.bridge()
        await bridge.start()
        answer = await bridge.routes.call(name, ARGS)
        refused = ENDPOINTS[name].probe
        assert (answer.status, answer.code) == ((409, "NOT_LOGGED_IN") if refused else (200, None))
        await bridge.stop()

    run(main())


@pytest.mark.spec("UI-Q7", "UI-E1")
@pytest.mark.parametrize("name", ENDPOINTS)
def test_the_wait_is_the_tables(run: Run, world: Any, name: str) -> None:
    async def main() -> None:
        bridge = world.bridge()  # not started: nothing will run
        answer = await bridge.routes.call(name, ARGS)
        assert (answer.status, answer.code) == (504, "TIMEOUT")
        assert answer.body["phase"] == "queued"
        probe = 0.1 if ENDPOINTS[name].probe else 0
        waited = asyncio.get_running_loop().time() - probe
        assert waited == pytest.approx(ENDPOINTS[name].wait_ms / 1000)

    run(main())


@pytest.mark.spec("UI-Q8", "UI-T3")
def test_the_dead_window_is_503_also_while_there_is_no_window_to_probe(
    run: Run, world: Any
) -> None:
    world.desktop.shown = None

    async def main() -> None:
        bridge = world.bridge()
        await bridge.start()
        bridge._scheduler.mark_wechat_dead(15)
        answer = await bridge.routes.call("send_text", ARGS)
        assert (answer.status, answer.code, answer.retry_after) == (503, "WECHAT_NOT_READY", 5)
        await bridge.stop()

    run(main())


@pytest.mark.spec("UI-AC4")
def test_a_capture_that_hangs_is_504(run: Run, world: Any) -> None:
    world.processes.capture_s = None

    async def main() -> None:
        bridge = world.bridge()
        await bridge.start()
        answer = await bridge.routes.call("qr_start", {})
        assert (answer.status, answer.code) == (504, "TIMEOUT")
        await bridge.stop()

    run(main())


@pytest.mark.spec("UI-C2")
@pytest.mark.parametrize("name", READ_ONLY)
def test_reading_is_never_queued(run: Run, world: Any, name: str) -> None:
    async def main() -> None:
        bridge = world.bridge()  # not started: what is queued never ends
        bridge.dispatch.submit(bridge.action("send_text", ARGS))
        answer = await bridge.routes.call(name, {})
        assert answer.status == 200
        expected = {
            "qr_wait": {"state": "logged_in", "logged_in": True},
            "diagnostic": {"wechat": True, "state": "logged_in"},
            "status": {**bridge.status(), "wechat": True},
        }
        assert answer.body == expected[name]
        assert bridge.status()["send_queue_pending"] == 1

    run(main())
    assert world.desktop.names == ([] if name == "status" else ["login_state"])


@pytest.mark.spec("UI-C1")
def test_status_takes_no_lock(run: Run, world: Any) -> None:
    async def main() -> None:
        bridge = world.bridge()
        await bridge.lock.acquire()
        answer = await bridge.routes.call("status", {})
        assert answer.body["wechat"] is True
        world.desktop.shown = None
        assert (await bridge.routes.call("status", {})).body["wechat"] is False
        assert asyncio.get_running_loop().time() == 0

    run(main())


@pytest.mark.parametrize(
    ("name", "args", "status", "code"),
    [("nonsense", {}, 404, "NOT_FOUND"), ("send_text", {"to": "anna"}, 400, "BAD_REQUEST")],
)
def test_mistakes_of_the_caller(
    run: Run, world: Any, name: str, args: Any, status: int, code: str
) -> None:
    async def main() -> None:
        answer = await world.bridge().routes.call(name, args)
        assert (answer.status, answer.code) == (status, code)
        assert answer.body["message"] in ("no route 'nonsense'", "send_text needs text")

    run(main())
    assert world.desktop.log == []


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (BridgeError(Code.TARGET_NOT_FOUND, "no button"), 500, "TARGET_NOT_FOUND"),
        (ValueError("odd"), 500, "INTERNAL"),
        (asyncio.CancelledError(), 500, "CANCELLED"),
    ],
)
def test_what_the_action_raises_is_a_reply(
    run: Run, world: Any, error: BaseException, status: int, code: str
) -> None:
    async def own(backend: Any, args: Any) -> None:
        raise error

    async def main() -> None:
        bridge = world.bridge(flows={"like": own})
        await bridge.start()
        answer = await bridge.routes.call("like", {})
        assert (answer.status, answer.code) == (status, code)
        await bridge.stop()

    run(main())


def test_a_refusal_of_the_world_is_no_reply(run: Run, world: Any) -> None:
    async def own(backend: Any, args: Any) -> None:
        raise WorldError("no sockets here")

    async def main() -> None:
        bridge = world.bridge(flows={"like": own})
        await bridge.start()
        with pytest.raises(WorldError):
            await bridge.routes.call("like", {})
        await bridge.stop()

    run(main())


@pytest.mark.spec("UI-Q2")
def test_a_caller_that_hangs_up_takes_its_queued_action_back(run: Run, world: Any) -> None:
    answers: list[Any] = []

    async def main() -> None:
        bridge = world.bridge()
        request = asyncio.ensure_future(
            bridge.routes.call("send_text", ARGS, on_submit=answers.append)
        )
        await asyncio.sleep(1)
        assert bridge.status()["send_queue_pending"] == 1
        request.cancel()
        with pytest.raises(asyncio.CancelledError):
            await request
        assert bridge.status()["send_queue_pending"] == 0

    run(main())
    assert answers[0].cancelled()


# ---------------------------------------------------------------- verification


@pytest.mark.spec("UI-C1")
@pytest.mark.parametrize("name", ["revoke", "forward", "set_remark", "add_friend", "send_text"])
def test_what_is_verified_is_so_in_the_background(run: Run, world: Any, name: str) -> None:
    async def main() -> None:
        bridge = world.bridge()
        await bridge.start()
        answer = await bridge.routes.call(name, ARGS)
        assert answer.status == 200
        answered = asyncio.get_running_loop().time()
        assert bridge.verification.pending == (name != "send_text")
        commands = len(world.desktop.log)
        await asyncio.sleep(11)
        assert bridge.verification.pending == 0
        assert len(world.desktop.log) == commands
        assert answered < 1
        await bridge.stop()

    run(main())


@pytest.mark.parametrize("broken", ["flow", "records"])
def test_what_failed_or_cannot_be_read_is_not_verified(run: Run, world: Any, broken: str) -> None:
    async def main() -> None:
        bridge = world.bridge()
        await bridge.start()
        if broken == "flow":
            world.desktop.errors["click"] = BridgeError(Code.TARGET_NOT_FOUND, "no")
        else:
            world.records.error = OSError("locked")
        answer = await bridge.routes.call("revoke", ARGS)
        assert answer.status == (500 if broken == "flow" else 200)
        assert bridge.verification.pending == 0
        await bridge.stop()

    run(main())
