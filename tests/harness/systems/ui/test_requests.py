"""Requests to the routes: from the request to its answer, in one operation."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from windtunnel.errors import PluginError, WorldError
from windtunnel.systems.ui.bridge import BridgeUnderTest
from windtunnel.trace import Event

MS = 1_000_000
LOOK = {"login_state": "200ms"}
SHORT = {"actions": {"send_text": {"duration": "1s"}}, "latencies": LOOK}


def answered(events: list[Event], op: str = "r") -> Event:
    """Give the one answer of a request."""
    (event,) = (e for e in events if e.kind == "request.answered" and e.op == op)
    return event


def told(events: list[Event], op: str = "r") -> tuple[int, str, dict[str, Any]]:
    """Give (ms, outcome, details) of the answer."""
    event = answered(events, op)
    return event.time // MS, event.outcome, dict(event.details)


@pytest.mark.spec("UI-C3", "UI-E1")
@pytest.mark.parametrize("wiring", ["before", "phase1", "after"])
def test_request_probe_action_and_answer_are_one_operation(kit: Any, wiring: str) -> None:
    async def main(system: BridgeUnderTest) -> None:
        await system.call(kit.call("r", "route.send_text"))

    events = kit.bench({**SHORT, "wiring": wiring}).play(main)
    kinds = ("request", "command", "action", "caller")
    lines = [e for e in events if e.kind.startswith(kinds) and e.kind != "action.queued"]
    assert [(e.kind, e.op, e.class_, e.outcome) for e in lines if e.kind != "action.delayed"] == [
        ("request.received", "r", "route.send_text", ""),
        ("command.started", "r", "probe", ""),
        ("command.ended", "r", "probe", "done"),
        ("action.submitted", "r", "send_text", ""),
        ("action.started", "r", "send_text", ""),
        ("action.settled", "r", "send_text", "done"),
        ("caller.settled", "r", "send_text", "done"),
        ("request.answered", "r", "route.send_text", "done"),
    ]
    submitted = next(e for e in events if e.kind == "action.submitted")
    assert submitted.details == {
        "priority": 2,
        "via": "execute" if wiring == "after" else "enqueue",
        "wait_ms": 15_000,
        "to": "ann",
        "text": "hello",
    }
    assert told(events) == (1200, "done", {"status": 200})


@pytest.mark.spec("UI-E2")
@pytest.mark.parametrize(
    ("route", "trace_id"),
    [
        ("logout", "logout"),
        ("restart", "wechat_restart"),
        ("qr_start", "qr_start"),
        ("screenshot", "screenshot"),
        ("autofix", "autofix_wechat_running"),
        ("like", None),
    ],
)
def test_the_bridges_own_trace_ids(kit: Any, route: str, trace_id: str | None) -> None:
    async def main(system: BridgeUnderTest) -> None:
        await system.call(kit.call("r", f"route.{route}"))

    submitted = next(e for e in kit.bench().play(main) if e.kind == "action.submitted")
    assert submitted.details.get("trace_id") == trace_id


@pytest.mark.spec("UI-C3")
@pytest.mark.parametrize("state", ["logged_out", "qr"])
def test_who_is_not_logged_in_submits_nothing(kit: Any, state: str) -> None:
    async def main(system: BridgeUnderTest) -> None:
        await system.call(kit.call("r", "route.send_text"))

    events = kit.bench({**SHORT, "wechat": {"state": state}}).play(main)
    assert told(events) == (200, "rejected", {"status": 409, "code": "NOT_LOGGED_IN"})
    assert not [e for e in events if e.kind == "action.submitted"]


@pytest.mark.spec("UI-Q7")
def test_a_wait_that_ends_answers_and_the_call_is_over_with_the_action(kit: Any) -> None:
    over: list[float] = []

    async def main(system: BridgeUnderTest) -> None:
        first = asyncio.ensure_future(system.call(kit.call("r", "route.send_text")))
        await asyncio.sleep(0.5)
        await system.call(kit.call("q", "route.send_text"))
        await first
        over.append(asyncio.get_running_loop().time())

    given = {"actions": {"send_text": {"duration": "20s"}}, "latencies": LOOK}
    events = kit.bench(given).play(main)
    late = {"status": 504, "code": "TIMEOUT", "retry_after": 3}
    assert told(events) == (15_200, "unknown", late)  # it ran
    assert told(events, "q") == (15_700, "expired", late)  # it never did
    assert over == [20.2]


@pytest.mark.spec("UI-Q5", "UI-Q8", "UI-Q13")
def test_a_refusal_is_an_answer(kit: Any) -> None:
    async def main(system: BridgeUnderTest) -> None:
        await system.call(kit.call("m", "scheduler.mark_wechat_dead", duration="2s"))
        await system.call(kit.call("r", "route.send_text"))

    details = {"status": 503, "code": "WECHAT_NOT_READY", "retry_after": 5}
    assert told(kit.bench(SHORT).play(main)) == (200, "rejected", details)


@pytest.mark.parametrize("probe", ["", "login_state"])
def test_an_action_or_a_probe_that_fails(kit: Any, probe: str) -> None:
    async def main(system: BridgeUnderTest) -> None:
        await system.call(kit.call("r", "route.send_text"))

    action = {"duration": "1s", "raises": "TARGET_NOT_FOUND"}
    latencies = {"login_state": "6s"} if probe else LOOK  # over the bound of one command
    events = kit.bench({"actions": {"send_text": action}, "latencies": latencies}).play(main)
    code, status, at = ("TIMEOUT", 504, 5000) if probe else ("TARGET_NOT_FOUND", 500, 1200)
    assert told(events) == (at, "failed", {"status": status, "code": code})


@pytest.mark.spec("UI-Q2")
@pytest.mark.parametrize(("after", "submitted"), [(0.1, 0), (0.5, 1)])
def test_a_caller_hangs_up(kit: Any, after: float, submitted: int) -> None:
    async def main(system: BridgeUnderTest) -> None:
        first = system.submit(kit.submit("a"))
        request = asyncio.ensure_future(system.call(kit.call("r", "route.send_text")))
        await asyncio.sleep(after)
        await system.call(kit.call("c", "caller.cancel", of="r"))
        await asyncio.gather(first, request)
        await asyncio.sleep(10)

    events = kit.bench(SHORT).play(main)
    assert told(events) == (after * 1000, "aborted", {"status": 499})
    kinds = [e.kind for e in events if e.op == "r" and e.kind.startswith("action.")]
    assert kinds.count("action.submitted") == submitted
    assert "action.started" not in kinds
    (ended,) = (e for e in events if e.kind == "call.ended")
    assert ended.details == {"result": True}


def test_who_has_been_answered_cannot_hang_up(kit: Any) -> None:
    async def main(system: BridgeUnderTest) -> None:
        await system.call(kit.call("r", "route.send_text"))
        await system.call(kit.call("c", "caller.cancel", of="r"))

    (ended,) = (e for e in kit.bench(SHORT).play(main) if e.kind == "call.ended")
    assert ended.details == {"result": False}


@pytest.mark.spec("UI-C2", "UI-M1")
@pytest.mark.parametrize(
    ("name", "commands"),
    [
        ("route.status", ["find"]),
        ("route.diagnostic", ["find", "login_state"]),
        ("route.qr_wait", ["login_state"]),
    ],
)
def test_the_read_only_routes_wait_for_nobody(kit: Any, name: str, commands: list[str]) -> None:
    async def main(system: BridgeUnderTest) -> None:
        first = system.submit(kit.submit("a"))
        await system.call(kit.call("r", name))
        await first

    events = kit.bench(SHORT).play(main)
    assert told(events)[1:] == ("done", {"status": 200})
    assert told(events)[0] <= 200
    ran = [e for e in events if e.kind == "command.started" and e.op == "r"]
    assert [(e.class_, e.details["command"]) for e in ran] == [("probe", one) for one in commands]


def test_a_scheduler_that_answers_nothing_is_no_verdict(kit: Any) -> None:
    class Silent:
        def execute(self, action: Any, **said: Any) -> None:
            return None

    async def main(system: BridgeUnderTest) -> None:
        with pytest.raises(PluginError, match="the scheduler returned NoneType"):
            await system.call(kit.call("r", "route.send_text"))

    kit.bench(SHORT, plugged=Silent).play(main)


def test_a_refusal_of_the_world_is_no_verdict(kit: Any) -> None:
    class Threaded:
        async def execute(self, action: Any, **said: Any) -> Any:
            return await asyncio.to_thread(print)

    async def main(system: BridgeUnderTest) -> None:
        with pytest.raises(WorldError):
            await system.call(kit.call("r", "route.send_text"))

    kit.bench(SHORT, plugged=Threaded).play(main)
