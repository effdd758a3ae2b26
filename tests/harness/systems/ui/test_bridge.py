"""The UI system alive in a world: whole traces, for our scheduler and for somebody else's."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Awaitable
from typing import Any

import pytest

from windtunnel.acting import acting
from windtunnel.errors import PluginError, RequirementError
from windtunnel.systems.ui import UISystem
from windtunnel.systems.ui.bridge import BridgeUnderTest
from windtunnel.systems.ui.recorded import submitting
from windtunnel.trace import Event

HEAP = "heap_scheduler:HeapScheduler"
ONE_SECOND = {"actions": {"send_text": {"duration": "1s"}, "restart": {"duration": "1s"}}}


def of(events: list[Event], op: str) -> list[tuple[float, str, str]]:
    """Give (seconds, kind, outcome) of the boundary's events of one operation."""
    return [
        (event.time / 1e9, event.kind, event.outcome)
        for event in events
        if event.op == op and event.kind in BOUNDARY
    ]


BOUNDARY = ("action.submitted", "action.started", "action.settled", "caller.settled")


async def together(*operations: Awaitable[None]) -> None:
    await asyncio.gather(*operations)


@pytest.mark.parametrize("scheduler", [None, HEAP])
def test_two_sends_one_after_the_other(kit: Any, scheduler: str | None) -> None:
    async def main(system: BridgeUnderTest) -> None:
        await together(*(system.submit(kit.submit(id)) for id in ("a", "b")))  # noqa: A001 - field

    events = kit.bench(ONE_SECOND, scheduler=scheduler).play(main)
    # The second is to the same contact: 1 s after the first where a delay can be asked for.
    assert of(events, "a") == [
        *((0, "action.submitted", ""), (0, "action.started", "")),
        *((1, "action.settled", "done"), (1, "caller.settled", "done")),
    ]
    assert of(events, "b") == [
        *((0, "action.submitted", ""), (4, "action.started", "")),
        *((5, "action.settled", "done"), (5, "caller.settled", "done")),
    ]


@pytest.mark.spec("UI-Q4")
def test_a_file_to_somebody_else_is_the_send_before(kit: Any) -> None:
    def to(contact: str, **content: str) -> dict[str, str]:
        return {"to": contact, **content}

    async def main(system: BridgeUnderTest) -> None:
        await together(
            system.submit(kit.submit("a", "send_text", args=to("ann", text="one"))),
            system.submit(kit.submit("b", "send_file", args=to("bob", file="a.txt"))),
            system.submit(kit.submit("c", "send_text", args=to("ann", text="two"))),
            system.submit(kit.submit("d", "like")),
            system.submit(kit.submit("e", "send_text", args=to("ann", text="three"))),
        )

    submitted = [e for e in kit.bench().play(main) if e.kind == "action.submitted"]
    assert [(e.op, e.details.get("delay_ms")) for e in submitted] == [
        *(("a", None), ("b", None), ("c", None), ("d", None), ("e", 1000)),
    ]


@pytest.mark.spec("UI-L2", "UI-F1")
@pytest.mark.parametrize("scheduler", [None, HEAP])
def test_flows_run_on_the_display_command_by_command(kit: Any, scheduler: str | None) -> None:
    async def main(system: BridgeUnderTest) -> None:
        await together(*(system.submit(kit.submit(op, "send_text")) for op in ("a", "b")))

    events = kit.bench(scheduler=scheduler).play(main)
    begun = [
        (event.op, event.details["command"], event.details["step"])
        for event in events
        if event.kind == "command.started"
    ]
    flow = UISystem().commands(kit.bench().setup.given, "send_text")
    assert begun == [(op, name, step) for op in "ab" for step, name in enumerate(flow)]


@pytest.mark.spec("UI-C1", "UI-L2")
@pytest.mark.parametrize(("wiring", "starts"), [("before", 0.5), ("phase1", 0.5), ("after", 1.0)])
def test_a_direct_call_enters_at_once_before_and_waits_its_turn_after(
    kit: Any, wiring: str, starts: float
) -> None:
    async def main(system: BridgeUnderTest) -> None:
        first = system.submit(kit.submit("a"))
        await asyncio.sleep(0.5)
        await together(first, system.submit(kit.submit("b", "restart")))

    given = {**ONE_SECOND, "wiring": wiring, "scheduler": {"send_delay": "0s"}}
    events = kit.bench(given).play(main)
    assert of(events, "b")[1] == (starts, "action.started", "")
    (submitted,) = (e for e in events if e.kind == "action.submitted" and e.op == "b")
    assert submitted.details["via"] == ("execute" if wiring == "after" else "direct")


@pytest.mark.spec("UI-T4", "UI-Q8")
def test_a_restart_opens_its_window_as_it_starts(kit: Any) -> None:
    async def main(system: BridgeUnderTest) -> None:
        first = system.submit(kit.submit("a"))
        await asyncio.sleep(0)
        rest = [
            system.submit(kit.submit(op, name))
            for op, name in (("b", "send_text"), ("c", "restart"))
        ]
        await together(first, *rest)
        assert system.observe()["fast_fail_total"] == 1

    events = kit.bench({**ONE_SECOND, "scheduler": {"send_delay": "0s"}}).play(main)
    (opened,) = (event for event in events if event.kind == "window.opened")
    assert of(events, "c")[1] == (1.0, "action.started", "")  # the next, ahead of b
    assert opened.time == 1_000_000_000
    assert of(events, "b")[-1][2] == "rejected"


def test_an_action_raises_what_the_scenario_says(kit: Any) -> None:
    async def main(system: BridgeUnderTest) -> None:
        await system.submit(kit.submit("a"))

    given = {"actions": {"send_text": {"duration": "1s", "raises": "WINDOW_NOT_FOUND"}}}
    events = kit.bench(given).play(main)
    assert [row[2] for row in of(events, "a")[2:]] == ["failed", "failed"]
    told = [event.details for event in events if event.kind == "caller.settled"]
    assert told == [{"code": "WINDOW_NOT_FOUND", "error": "BridgeError"}]


def test_what_was_asked_for_is_recorded(kit: Any) -> None:
    async def main(system: BridgeUnderTest) -> None:
        await system.submit(kit.submit("a", wait="15s", delay_after="1s", priority="HIGH"))

    events = kit.bench(ONE_SECOND).play(main)
    assert events[0].details == {
        "priority": 1,
        "delay_ms": 1000,
        "wait_ms": 15_000,
        "via": "execute",
        "to": "ann",
        "text": "hello",
    }
    assert events[0].actor == "route"


@pytest.mark.parametrize("scheduler", [None, HEAP])
def test_a_caller_hangs_up(kit: Any, scheduler: str | None) -> None:
    async def main(system: BridgeUnderTest) -> None:
        first, second = (system.submit(kit.submit(op)) for op in ("a", "b"))
        await asyncio.sleep(0.5)
        await system.call(kit.call("c", "caller.cancel", of="b"))
        await together(first, second)
        await asyncio.sleep(60)

    events = kit.bench(ONE_SECOND, scheduler=scheduler).play(main)
    assert of(events, "b")[1:] == [
        (0.5, "action.settled", "aborted"),
        (0.5, "caller.settled", "aborted"),
    ]
    (ended,) = (event for event in events if event.kind == "call.ended")
    assert (ended.outcome, ended.details["result"]) == ("done", True)


def test_a_call_that_fails_is_a_fact_of_the_run(kit: Any) -> None:
    async def main(system: BridgeUnderTest) -> None:
        await system.call(kit.call("c", "caller.cancel", of="nobody"))

    events = kit.bench().play(main)
    assert [event.kind for event in events] == ["call.started", "call.ended"]
    assert (events[1].outcome, events[1].details) == ("failed", {"error": "PluginError"})


@pytest.mark.spec("UI-W2", "UI-W3", "UI-AC5")
def test_the_watchdog_drains_opens_the_window_and_kills(kit: Any) -> None:
    async def main(system: BridgeUnderTest) -> None:
        open_ = [system.submit(kit.submit(op, "send_file")) for op in ("a", "b")]
        await asyncio.sleep(0.5)
        await system.call(kit.call("dog", "watchdog.act"))
        await together(*open_)

    given = {"actions": {"send_file": {"duration": "2s"}}, "watchdog": {"drain": "3s"}}
    events = kit.bench(given).play(main)
    wanted = ("drain.started", "drain.timed_out", "window.opened", "process.killed")
    times = {event.kind: event.time / 1e9 for event in events if event.kind in wanted}
    assert times == {
        "drain.started": 0.5,
        "drain.timed_out": 3.5,
        "window.opened": 3.5,
        "process.killed": 3.5,
    }
    (ended,) = (event for event in events if event.kind == "call.ended")
    assert ended.details == {"result": False}


@pytest.mark.spec("UI-W4")
def test_before_the_watchdog_kills_at_once(kit: Any) -> None:
    async def main(system: BridgeUnderTest) -> None:
        await system.call(kit.call("dog", "watchdog.act"))

    events = kit.bench({"wiring": "before"}).play(main)
    kinds = [event.kind for event in events if not event.kind.startswith("command.")]
    assert kinds == [
        *("call.started", "watchdog.acted", "process.killed", "wechat.gone"),
        *("call.ended",),
    ]


def test_the_scheduler_is_started_by_the_timeline_where_given_says_so(kit: Any) -> None:
    async def main(system: BridgeUnderTest) -> None:
        waiting = system.submit(kit.submit("a"))
        await asyncio.sleep(5)
        await system.call(kit.call("s", "scheduler.start"))
        await together(waiting)

    events = kit.bench({**ONE_SECOND, "scheduler": {"started": False}}).play(main)
    assert of(events, "a")[1] == (5.0, "action.started", "")


def test_stop_and_the_windows_calls_reach_the_scheduler(kit: Any) -> None:
    async def main(system: BridgeUnderTest) -> None:
        await system.call(kit.call("m", "scheduler.mark_wechat_dead", duration="60s"))
        await system.submit(kit.submit("a"))
        await system.call(kit.call("r", "scheduler.mark_wechat_ready"))
        await system.submit(kit.submit("b"))
        await system.call(kit.call("s", "scheduler.stop"))
        await system.submit(kit.submit("c"))

    events = kit.bench(ONE_SECOND).play(main)
    told = {event.op: event.details.get("code") for event in events if event.kind == BOUNDARY[3]}
    assert told == {"a": "WECHAT_NOT_READY", "b": None, "c": "STOPPED"}


@pytest.mark.parametrize("port", ["desktop", "processes", "records"])
def test_a_world_without_a_port_is_named(kit: Any, port: str) -> None:
    bench = kit.bench()
    bench.world.ports = dataclasses.replace(bench.world.ports, **{port: None})
    with pytest.raises(PluginError, match=f"the sim world has no port `{port}`"):
        UISystem().build(bench.setup)


def test_whoever_asked_acts_as_before(kit: Any) -> None:
    async def main(system: BridgeUnderTest) -> None:
        for name in ("route.send_text", "orchestrator.send_text"):
            await system.call(kit.call(f"c-{name}", name))
            assert (acting.get(), submitting.get()) == (None, None)
        await system.submit(kit.submit("a"))
        assert acting.get() is None

    kit.bench(ONE_SECOND).play(main)


def test_a_scheduler_that_cannot_start_is_named(kit: Any) -> None:
    class Lame:
        def enqueue(self, action: Any) -> None: ...

        async def start(self) -> None:
            raise OSError("no legs")

    async def main(system: BridgeUnderTest) -> None: ...

    with pytest.raises(PluginError, match=r"Lame\.start raised OSError: no legs"):
        kit.bench(plugged=Lame).play(main)


def test_what_is_lacking_is_told_before_the_run(kit: Any) -> None:
    bench = kit.bench(scheduler=HEAP, planned=[kit.call("c", "scheduler.drain")])
    with pytest.raises(RequirementError, match="HeapScheduler lacks drain"):
        UISystem().build(bench.setup)


def test_a_foreign_scheduler_that_is_stopped_tells_everybody(kit: Any) -> None:
    async def main(system: BridgeUnderTest) -> None:
        open_ = [system.submit(kit.submit(op)) for op in ("a", "b")]
        await asyncio.sleep(0.5)
        await system.stop()
        await together(*open_)

    events = kit.bench(ONE_SECOND, scheduler=HEAP).play(main)
    assert {of(events, op)[-1] for op in "ab"} == {(0.5, "caller.settled", "aborted")}


class HangsAtStop:
    """A scheduler whose stop never ends."""

    async def enqueue(self, action: Any) -> Any:
        return await action()

    async def stop(self) -> None:
        await asyncio.Event().wait()


def test_a_scheduler_that_does_not_stop_is_a_misfit(kit: Any) -> None:
    async def main(system: BridgeUnderTest) -> None:
        await system.submit(kit.submit("a"))

    with pytest.raises(PluginError, match=r"HangsAtStop: the queue did not stop in 10 s"):
        kit.bench(plugged=HangsAtStop).play(main)
