"""The calls of services: what each reaches, as whom, and what its end keeps."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from windtunnel.errors import BridgeError, PluginError, WorldError
from windtunnel.services.bridge.scheduler.ui_scheduler import UIActionScheduler
from windtunnel.systems.ui.bridge import BridgeUnderTest
from windtunnel.systems.ui.calls import CALLS, ROUTES
from windtunnel.trace import Event

SHORT: dict[str, Any] = {
    "actions": {name: {"duration": "1s"} for name in ("send_text", "send_file", "accept_friend")},
    "latencies": {"login_state": "200ms"},
}
SENDS = [{"to": "ann", "text": "one"}, {"to": "bob", "file": "two.pdf"}]


def play(kit: Any, *calls: Any, given: dict[str, Any] | None = None, **said: Any) -> list[Event]:
    """Play calls one after another."""

    async def main(system: BridgeUnderTest) -> None:
        for call in calls:
            await system.call(call)

    return list(kit.bench(SHORT if given is None else given, **said).play(main))


def ended(events: list[Event], op: str = "c") -> tuple[str, dict[str, Any]]:
    (event,) = (e for e in events if e.kind == "call.ended" and e.op == op)
    return event.outcome, dict(event.details)


def of(events: list[Event], kind: str) -> list[Event]:
    return [event for event in events if event.kind == kind]


def test_every_call_is_reached(kit: Any) -> None:
    reached = kit.bench().build()._calling._calls.keys()
    assert reached == CALLS.keys() - ROUTES.keys()


@pytest.mark.spec("UI-R1", "UI-C1")
@pytest.mark.parametrize("wiring", ["before", "phase1", "after"])
def test_a_batch_gives_each_send_an_operation_of_its_own(kit: Any, wiring: str) -> None:
    call = kit.call("b", "batch.run", sends=SENDS, times=2, gap="1s")
    events = play(kit, call, given={**SHORT, "wiring": wiring, "scheduler": {"send_delay": "0s"}})
    submitted = of(events, "action.submitted")
    assert [(e.op, e.class_, e.actor) for e in submitted] == [
        ("b.0", "send_text", "batch"),
        ("b.1", "send_file", "batch"),
        ("b.2", "send_text", "batch"),
        ("b.3", "send_file", "batch"),
    ]
    assert [e.time / 1e9 for e in submitted] == [0.2, 2.4, 4.6, 6.8]  # probe, send, gap
    assert submitted[1].details["text"] == "two.pdf"
    assert ended(events, "b") == ("done", {"result": 4})


def test_an_item_that_fails_is_counted_out(kit: Any) -> None:
    actions = {**SHORT["actions"], "send_file": {"duration": "1s", "raises": "TARGET_NOT_FOUND"}}
    events = play(kit, kit.call("c", "batch.run", sends=SENDS), given={**SHORT, "actions": actions})
    assert ended(events) == ("done", {"result": 1})


def test_the_orchestrator_probes_and_sends_as_itself(kit: Any) -> None:
    events = play(kit, kit.call("c", "orchestrator.send_text"))
    (looked,) = (e for e in of(events, "command.started"))
    assert (looked.op, looked.class_, looked.actor) == ("c", "probe", "orchestrator")
    (submitted,) = of(events, "action.submitted")
    assert (submitted.op, submitted.actor) == ("c", "orchestrator")
    assert submitted.details["wait_ms"] == 15_000
    assert ended(events) == ("done", {})


def test_what_a_service_raises_is_the_end_of_the_call(kit: Any) -> None:
    given = {**SHORT, "wechat": {"state": "qr"}}
    events = play(kit, kit.call("c", "orchestrator.send_file"), given=given)
    assert ended(events) == ("failed", {"error": "BridgeError", "code": "NOT_LOGGED_IN"})


@pytest.mark.parametrize(
    ("error", "logged"), [(TypeError("no such thing"), 1), (BridgeError("STOPPED", "closing"), 0)]
)
def test_a_slip_of_a_service_is_logged_and_a_refusal_is_not(
    kit: Any, caplog: pytest.LogCaptureFixture, error: Exception, logged: int
) -> None:
    class Slips(UIActionScheduler):
        def mark_wechat_ready(self) -> None:
            raise error

    events = play(kit, kit.call("c", "scheduler.mark_wechat_ready"), plugged=Slips)
    assert ended(events)[0] == "failed"
    told = [one for one in caplog.records if "the call c (scheduler.mark_w" in one.getMessage()]
    assert len(told) == logged
    assert all(one.exc_info is not None and one.exc_info[1] is error for one in told)


def test_a_caller_of_the_orchestrator_hangs_up(kit: Any) -> None:
    async def main(system: BridgeUnderTest) -> None:
        call = asyncio.ensure_future(system.call(kit.call("c", "orchestrator.send_text")))
        await asyncio.sleep(0.5)
        await system.call(kit.call("d", "caller.cancel", of="c"))
        await call

    events = kit.bench(SHORT).play(main)
    assert ended(events) == ("aborted", {"error": "CancelledError"})
    (over,) = of(events, "action.settled")
    assert (over.outcome, over.time) == ("done", 1_200_000_000)  # a running one goes on


@pytest.mark.spec("UI-C7", "UI-R1")
@pytest.mark.parametrize(
    ("said", "via", "priority"),
    [
        ({}, "execute", 1),
        ({"wiring": "phase1"}, "enqueue", 2),
        ({"wiring": "before"}, "enqueue", 2),
        ({"friend_watcher": "direct"}, "direct", 2),
    ],
)
def test_a_poll_accepts_and_is_over_with_the_acceptance(
    kit: Any, said: dict[str, Any], via: str, priority: int
) -> None:
    requests = [{"at": "0s", "from": name} for name in ("carol", "dave")]
    given = {**SHORT, **said, "wechat": {"friend_requests": requests}}

    async def main(system: BridgeUnderTest) -> None:
        await asyncio.sleep(1)
        await system.call(kit.call("f", "friend_watcher.poll"))
        assert not system.scheduler.operations  # none is open

    events = kit.bench({**given, "scheduler": {"send_delay": "0s"}}).play(main)
    submitted = of(events, "action.submitted")
    assert [(e.op, e.class_, e.actor, e.details["to"]) for e in submitted] == [
        ("f", "accept_friend", "friend_watcher", "carol"),
        ("f/2", "accept_friend", "friend_watcher", "dave"),
    ]
    assert {(e.details["via"], e.details["priority"]) for e in submitted} == {(via, priority)}
    assert ended(events, "f") == ("done", {"result": 2})


@pytest.mark.spec("UI-C2", "UI-C4")
@pytest.mark.parametrize(
    ("name", "commands", "result"),
    [
        ("login_guard.look", ["login_state"], "logged_in"),
        ("watchdog.look", ["find"], False),
        ("streamer.poll", [], 0),
    ],
)
def test_a_look_is_a_probe_of_whoever_looks(
    kit: Any, name: str, commands: list[str], result: Any
) -> None:
    events = play(kit, kit.call("c", name))
    ran = of(events, "command.started")
    actor = name.partition(".")[0]
    assert [(e.op, e.class_, e.actor, e.details["command"]) for e in ran] == [
        ("c", "probe", actor, command) for command in commands
    ]
    assert ended(events) == ("done", {"result": result})


@pytest.mark.spec("UI-W1")
def test_the_second_failed_look_in_a_row_says_that_it_is_time(kit: Any) -> None:
    looks = [kit.call(op, "watchdog.look") for op in "abc"]
    events = play(kit, *looks, given={"wechat": {"running": False}})
    assert [ended(events, op)[1]["result"] for op in "abc"] == [False, True, True]


@pytest.mark.spec("UI-AC4")
def test_a_capture_is_the_programs_own_command(kit: Any) -> None:
    events = play(kit, kit.call("c", "qr_capture.run"))
    (ran,) = of(events, "command.started")
    assert (ran.op, ran.class_, ran.resource) == ("c", "qr_capture.run", "display")
    assert ended(events) == ("done", {})
    assert len(of(events, "process.reaped")) == 1


def test_the_bridge_stops_in_order_and_starts_anew(kit: Any) -> None:
    given = {**SHORT, "background": {"watchdog": True}}
    names = ("bridge.stop", "route.send_text", "bridge.start", "route.send_text")
    events = play(kit, *(kit.call(f"c{at}", name) for at, name in enumerate(names)), given=given)
    told = [
        (e.kind, e.details.get("status"))
        for e in events
        if e.kind in ("watchers.stopped", "verification.cleared", "scheduler.stopped")
        or e.kind in ("watchers.started", "request.answered")
    ]
    assert told == [
        *(("watchers.stopped", None), ("verification.cleared", None), ("scheduler.stopped", None)),
        *(("request.answered", 503), ("watchers.started", None), ("request.answered", 200)),
    ]


def test_a_refusal_of_the_world_is_no_end(kit: Any) -> None:
    class Threaded:
        def execute(self, action: Any, **said: Any) -> Any: ...

        async def drain(self, timeout: float) -> bool:
            await asyncio.to_thread(print)
            return True

    async def main(system: BridgeUnderTest) -> None:
        with pytest.raises(WorldError):
            await system.call(kit.call("c", "scheduler.drain"))

    events = kit.bench(plugged=Threaded).play(main)
    assert not of(events, "call.ended")


def test_a_scheduler_that_answers_nothing_is_no_end_where_the_service_goes_on(kit: Any) -> None:
    class Silent:
        def execute(self, action: Any, **said: Any) -> None:
            return None

    async def main(system: BridgeUnderTest) -> None:
        await asyncio.sleep(1)
        with pytest.raises(PluginError, match="the scheduler returned NoneType"):
            await system.call(kit.call("f", "friend_watcher.poll"))

    given = {"wechat": {"friend_requests": [{"at": "0s", "from": "carol"}]}}
    kit.bench(given, plugged=Silent).play(main)


def test_hanging_up_on_what_is_over_changes_nothing(kit: Any) -> None:
    async def main(system: BridgeUnderTest) -> None:
        await system.submit(kit.submit("s", "send_text"))
        await system.call(kit.call("d", "caller.cancel", of="s"))

    assert ended(kit.bench(SHORT).play(main), "d") == ("done", {"result": False})


def test_hanging_up_on_what_was_never_submitted_is_a_mistake(kit: Any) -> None:
    events = play(kit, kit.call("d", "caller.cancel", of="s"))
    assert ended(events, "d") == ("failed", {"error": "PluginError"})
