"""Bridge: how it comes up, how it goes down, what it tells of itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from windtunnel.errors import BridgeError, Code
from windtunnel.ports import Ports
from windtunnel.services.bridge.bridge import Bridge
from windtunnel.services.bridge.scheduler.send_queue import SendQueue
from windtunnel.services.bridge.settings import SERVICES

Run = Callable[[Coroutine[Any, Any, None]], None]
WIRINGS = ["before", "phase1", "after"]


@pytest.mark.spec("UI-C1")
@pytest.mark.parametrize("wiring", WIRINGS)
def test_cleans_then_starts_then_stops_in_order(run: Run, world: Any, wiring: str) -> None:
    world.processes.pids["scrot"] = [300, 301]

    async def main() -> None:
        bridge = world.bridge(wiring, services=frozenset(SERVICES))
        await bridge.start()
        assert world.processes.log == [("kill", 300), ("kill", 301)]
        assert world.desktop.log == []  # no watcher has looked yet
        await bridge.start()
        await asyncio.sleep(1)
        await bridge.stop()

    run(main())
    assert [kind for kind in world.kinds if kind != "watchdog.looked"] == [
        *("startup.cleaned", "watchers.started"),
        *("watchers.stopped", "verification.cleared", "scheduler.stopped"),
    ]


def test_a_clean_up_that_fails_keeps_nobody_from_working(
    run: Run, world: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async def find(name: str) -> list[int]:
        raise BridgeError(Code.TIMEOUT, "pgrep hangs")

    world.processes.find = find

    async def main() -> None:
        bridge = world.bridge()
        await bridge.start()
        assert (await bridge.routes.call("like", {})).status == 200
        await bridge.stop()

    run(main())
    assert "cannot clean up" in caplog.text


@pytest.mark.spec("UI-C1")
def test_verification_is_cleared_before_the_queue_stops(run: Run, world: Any) -> None:
    async def main() -> None:
        bridge = world.bridge()
        order: list[str] = []
        stop_queue = bridge._scheduler.stop

        async def stop() -> None:
            order.append(f"queue with {bridge.verification.pending} verified")
            await stop_queue()

        bridge._scheduler.stop = stop
        await bridge.start()
        await bridge.routes.call("add_friend", {"to": "anna"})
        assert bridge.verification.pending == 1
        await bridge.stop()
        assert order == ["queue with 0 verified"]

    run(main())
    assert ("verification.cleared", "", {"pending": 1}) in world.notes


@pytest.mark.spec("UI-C1")
def test_nothing_is_verified_that_ends_after_verification_was_cleared(run: Run, world: Any) -> None:
    async def main() -> None:
        bridge = world.bridge()
        stop_queue = bridge._scheduler.stop

        async def stop() -> None:
            await asyncio.sleep(5)  # one that lets the running action end
            await stop_queue()

        bridge._scheduler.stop = stop
        await bridge.start()
        request = asyncio.ensure_future(bridge.routes.call("add_friend", {"to": "anna"}))
        await asyncio.sleep(0.3)
        await bridge.stop()
        assert (await request).status == 200
        assert bridge.verification.pending == 0
        await bridge.start()
        await bridge.routes.call("add_friend", {"to": "anna"})
        assert bridge.verification.pending == 1
        await bridge.stop()

    run(main())


def test_a_stop_during_the_start_ends_it(run: Run, world: Any) -> None:
    find = world.processes.find

    async def slow(name: str) -> Any:
        await asyncio.sleep(1)
        return await find(name)

    world.processes.find = slow

    async def main() -> None:
        bridge = world.bridge(services=frozenset({"streamer"}))
        starting = asyncio.ensure_future(bridge.start())
        await asyncio.sleep(0.5)
        await bridge.stop()
        await starting
        await asyncio.sleep(10)
        assert world.records.reads == 0
        assert not bridge.streamer.loop.running()
        await bridge.start()
        assert bridge.streamer.loop.running()
        await bridge.stop()

    run(main())
    assert world.kinds.count("watchers.started") == 1


def test_a_start_that_fails_can_be_tried_again(run: Run, world: Any) -> None:
    async def main() -> None:
        bridge = world.bridge()
        start = bridge._scheduler.start

        async def fail() -> None:
            raise RuntimeError("not yet")

        bridge._scheduler.start = fail
        with pytest.raises(RuntimeError, match="not yet"):
            await bridge.start()
        bridge._scheduler.start = start
        await bridge.start()
        assert (await bridge.routes.call("like", {})).status == 200
        await bridge.stop()

    run(main())


def test_a_step_that_hangs_is_named(run: Run, world: Any) -> None:
    async def main() -> None:
        bridge = world.bridge()
        await bridge.start()
        bridge._scheduler.stop, stop = asyncio.Event().wait, bridge._scheduler.stop
        with pytest.raises(TimeoutError, match="the queue did not stop in 10 s"):
            await bridge.stop()
        await stop()

    run(main())


@pytest.mark.parametrize("name", SERVICES)
def test_only_the_named_loops_run_and_none_after_the_stop(run: Run, world: Any, name: str) -> None:
    async def main() -> None:
        bridge = world.bridge(services=frozenset({name}))
        await bridge.start()
        await asyncio.sleep(30)
        running = [other for other in SERVICES if getattr(bridge, other).loop.running()]
        assert running == [name]
        await bridge.stop()
        assert not getattr(bridge, name).loop.running()
        world.desktop.log.clear()
        reads = world.records.reads
        await asyncio.sleep(30)
        assert world.desktop.log == []
        assert world.records.reads == reads
        await bridge.start()
        assert getattr(bridge, name).loop.running()
        await bridge.stop()

    run(main())


def test_a_step_that_fails_or_hangs_keeps_none_of_the_others_from_running(
    run: Run, world: Any
) -> None:
    async def main() -> None:
        bridge = world.bridge()
        await bridge.start()

        async def hang() -> None:
            await asyncio.Event().wait()

        async def fail() -> None:
            raise RuntimeError("no")

        bridge.verification.clear = fail
        bridge._scheduler.stop, stop = hang, bridge._scheduler.stop
        with pytest.raises(RuntimeError, match="no"):
            await bridge.stop()
        assert asyncio.get_running_loop().time() == 10
        await stop()

    run(main())
    assert world.kinds[-2:] == ["watchers.stopped", "scheduler.stopped"]


# ---------------------------------------------------------------- status


@pytest.mark.spec("UI-M1", "UI-AC6", "UI-Q14")
@pytest.mark.parametrize("wiring", WIRINGS)
def test_status_after_work(run: Run, world: Any, wiring: str) -> None:
    async def main() -> None:
        bridge = world.bridge(wiring)
        assert bridge.status()["send_queue_pending"] == 0
        await bridge.start()
        await bridge.routes.call("send_text", {"to": "anna", "text": "x"})
        status = bridge.status()
        assert status["send_queue_pending"] == 0
        if wiring == "before":
            assert status["ui_scheduler"] is None
        else:
            assert status["ui_scheduler"]["executed_total"] == 1
            assert status["ui_scheduler"]["executed_by_priority"]["NORMAL"] == 1
        await bridge.stop()

    run(main())


@pytest.mark.spec("UI-M1")
def test_a_scheduler_that_does_not_count_has_none_pending(world: Any) -> None:
    class Bare:
        async def start(self) -> None: ...

        async def stop(self) -> None: ...

        def enqueue(self, factory: Any, delay_ms: Any = None, wait_timeout_ms: Any = None) -> Any:
            raise AssertionError

    bridge = Bridge(world.ports, Bare())  # type: ignore[arg-type] # that is the point
    assert bridge.status() == {"send_queue_pending": 0, "ui_scheduler": None}


# ---------------------------------------------------------------- mistakes


@pytest.mark.parametrize("name", ["desktop", "processes", "records"])
def test_a_world_that_lacks_a_port_is_told(world: Any, name: str) -> None:
    ports = {n: getattr(world.ports, n) for n in ("desktop", "processes", "records")}
    with pytest.raises(ValueError, match=f"port `{name}`"):
        Bridge(Ports(**{**ports, name: None}), SendQueue())


def test_actions_that_cannot_be_made(world: Any) -> None:
    bridge = world.bridge()
    with pytest.raises(ValueError, match="no action 'send'; there are send_text"):
        bridge.action("send", {})
    with pytest.raises(ValueError, match="send_text needs the arguments to, text"):
        bridge.action("send_text", {})


def test_an_action_knows_whom_it_is_for_and_what_it_sends(world: Any) -> None:
    bridge = world.bridge()
    text = bridge.action("send_text", {"to": "anna", "text": "hello"})
    file = bridge.action("send_file", {"to": "anna", "file": "a.pdf"})
    bye = bridge.action("logout", {})
    assert [(a.name, a.to, a.text) for a in (text, file, bye)] == [
        ("send_text", "anna", "hello"),
        ("send_file", "anna", "a.pdf"),
        ("logout", "", ""),
    ]


# ---------------------------------------------------------------- the documents' timelines


@pytest.mark.spec("UI-L1", "UI-I2")
@pytest.mark.parametrize(("wiring", "overlaps"), [("before", True), ("after", False)])
def test_commands_overlap_only_before_the_change(
    run: Run, world: Any, wiring: str, overlaps: bool
) -> None:
    async def main() -> None:
        bridge = world.bridge(wiring)
        await bridge.start()
        send = bridge.routes.call("send_text", {"to": "anna", "text": "x"})
        await asyncio.gather(send, _later(0.25, bridge.routes.call("screenshot", {})))
        await bridge.stop()

    run(main())
    assert (world.desktop.overlaps > 0) is overlaps


async def _later(seconds: float, call: Coroutine[Any, Any, Any]) -> Any:
    await asyncio.sleep(seconds)
    return await call


@pytest.mark.spec("UI-L1")
def test_without_the_lock_probes_overlap_with_commands(run: Run, world: Any) -> None:
    async def main() -> None:
        bridge = world.bridge(locked=False)
        assert bridge.lock is None
        await bridge.start()
        send = {"to": "anna", "text": "x"}
        await asyncio.gather(*(bridge.routes.call("send_text", send) for _ in range(3)))
        await bridge.stop()

    run(main())
    assert world.desktop.overlaps > 0


@pytest.mark.spec("UI-T1", "UI-T2", "UI-AC3", "UI-I1")
@pytest.mark.parametrize(
    ("wiring", "inside"), [("before", True), ("phase1", True), ("after", False)]
)
def test_a_log_out_lies_inside_a_send_only_before_the_change(
    run: Run, world: Any, wiring: str, inside: bool
) -> None:
    async def main() -> None:
        bridge = world.bridge(wiring)
        await bridge.start()
        send = bridge.routes.call("send_text", {"to": "anna", "text": "x"})
        await asyncio.gather(send, _later(0.35, bridge.routes.call("logout", {})))
        await bridge.stop()

    run(main())
    menu = next(i for i, (_, argument) in enumerate(world.desktop.log) if argument == "menu")
    sent = next(i for i, (_, argument) in enumerate(world.desktop.log) if argument == "send")
    assert (menu < sent) is inside


@pytest.mark.spec("UI-T4", "UI-AC2", "UI-Q8")
def test_a_restart_goes_next_and_the_sends_behind_it_fail_fast(run: Run, world: Any) -> None:
    world.desktop.seconds["wait_window"] = 4.0

    async def main() -> None:
        bridge = world.bridge(delay_ms=3000)
        await bridge.start()
        sends = [
            asyncio.ensure_future(bridge.routes.call("send_text", {"to": f"room-{n}", "text": "x"}))
            for n in range(10)
        ]
        await asyncio.sleep(1.2)  # ten probes of 0.1 s, and the first send runs
        restart = await bridge.routes.call("restart", {})
        assert restart.status == 200
        replies = await asyncio.gather(*sends)
        assert [r.status for r in replies] == [200] + [503] * 9
        assert {r.retry_after for r in replies[1:]} == {5}
        await asyncio.sleep(8)
        late = await bridge.routes.call("send_text", {"to": "anna", "text": "x"})
        assert late.status == 200
        await bridge.stop()

    run(main())


@pytest.mark.spec("UI-W6", "UI-W2", "UI-AC5", "UI-T3")
@pytest.mark.parametrize(("wiring", "announced"), [("before", False), ("after", True)])
def test_a_flow_that_runs_when_the_watchdog_kills_ends_at_its_next_command(
    run: Run, world: Any, wiring: str, announced: bool
) -> None:
    world.desktop.seconds["click"] = 3.0

    async def main() -> None:
        bridge = world.bridge(wiring)
        await bridge.start()
        send = asyncio.ensure_future(bridge.routes.call("send_text", {"to": "anna", "text": "x"}))
        await asyncio.sleep(1)
        drained = await bridge.watchdog.act()
        assert drained is not announced  # before, nobody drains
        reply = await send
        assert (reply.status, reply.code) == (503, "WINDOW_NOT_FOUND")
        await bridge.stop()

    run(main())
    assert ("kill.announced" in world.kinds) is announced
    assert world.processes.log == [("terminate", 100)]


@pytest.mark.spec("UI-W4", "UI-C6")
@pytest.mark.parametrize("wiring", ["before", "phase1"])
def test_before_the_change_the_watchdog_kills_at_once(run: Run, world: Any, wiring: str) -> None:
    async def main() -> None:
        bridge = world.bridge(wiring)
        bridge.dispatch.submit(bridge.action("like", {}))
        assert await bridge.watchdog.act() is True
        assert asyncio.get_running_loop().time() == 0
        assert bridge.status()["send_queue_pending"] == 1

    run(main())
    assert world.processes.log == [("terminate", 100)]
