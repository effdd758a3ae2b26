"""RecordedScheduler: submissions and drains recorded around the call, inner events where told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from windtunnel.acting import Acting, acting, on_behalf
from windtunnel.canonical import check_event
from windtunnel.errors import BridgeError, PluginError
from windtunnel.policies.ui.priority import Priority
from windtunnel.services.bridge.flows.action import UIAction
from windtunnel.services.bridge.scheduler.send_queue import SendQueue
from windtunnel.services.bridge.scheduler.ui_scheduler import UIActionScheduler
from windtunnel.systems.ui.plug import PluggedScheduler
from windtunnel.systems.ui.recorded import RecordedScheduler, submitting
from windtunnel.systems.ui.staging import Stage
from windtunnel.trace import Event, Trace
from windtunnel_models import run as run_simulated

SEND = UIAction("send_text", lambda: asyncio.sleep(1), to="ann", text="hello")
LIKE = UIAction("like", lambda: asyncio.sleep(1))
Body = Callable[[RecordedScheduler, Any], Coroutine[Any, Any, None]]


def record(kind: type[Any], body: Body) -> list[tuple[str, str, dict[str, Any]]]:
    """Run `body` on a recorded scheduler of that kind; give (kind, op, details) of each event."""
    trace = Trace(lambda: round(asyncio.get_running_loop().time() * 1e9))

    async def main() -> None:
        plugged = PluggedScheduler(kind, {"send_delay_ms": 0})
        await body(RecordedScheduler(plugged, trace), plugged.instance)

    run_simulated(main())
    for event in trace:
        check_event(event)
    return [(event.kind, event.op, dict(event.details)) for event in trace]


def events_of(kind: type[Any], body: Body, **said: Any) -> list[Event]:
    """Run `body` on a recorded scheduler of that kind; give the boundary's events."""
    trace = Trace(lambda: round(asyncio.get_running_loop().time() * 1e9))

    async def main() -> None:
        plugged = PluggedScheduler(kind, {"send_delay_ms": 0})
        await plugged.manage("start")
        await body(RecordedScheduler(plugged, trace, **said), plugged.instance)
        await plugged.manage("stop")

    run_simulated(main())
    return [event for event in trace if event.kind.startswith("action.")]


# ------------------------------------------------------------------ submissions


@pytest.mark.parametrize(
    ("kind", "wanted", "via"),
    [
        (UIActionScheduler, "execute", "execute"),
        (UIActionScheduler, "enqueue", "enqueue"),
        (UIActionScheduler, "direct", "direct"),
        (SendQueue, "execute", "enqueue"),  # what it has not
    ],
)
def test_what_goes_in_is_recorded_as_the_operation_that_acts(
    kind: type[Any], wanted: str, via: str
) -> None:
    async def body(recorded: RecordedScheduler, instance: Any) -> None:
        with on_behalf("r", "route.send_text"):
            await getattr(recorded, wanted)(SEND)

    told = [e for e in events_of(kind, body) if e.kind != "action.queued"]
    assert [(e.kind, e.op, e.class_, e.outcome) for e in told] == [
        *(("action.submitted", "r", "send_text", ""), ("action.started", "r", "send_text", "")),
        ("action.settled", "r", "send_text", "done"),
    ]
    assert told[0].actor == "route"
    assert told[0].details == {"priority": 2, "via": via, "to": "ann", "text": "hello"}


def test_what_is_asked_for_reaches_the_scheduler_and_the_trace() -> None:
    class Keeping:
        def execute(self, action: Any, **said: Any) -> Any:
            asked.append(said)
            return action()

    async def body(recorded: RecordedScheduler, instance: Any) -> None:
        with on_behalf("r", ""):
            await recorded.execute(LIKE, Priority.LOW, 250, 9000, "their-own")
            await recorded.execute(LIKE)

    asked: list[dict[str, Any]] = []
    submitted = [e for e in events_of(Keeping, body) if e.kind == "action.submitted"]
    assert asked == [
        {
            "priority": Priority.LOW,
            "delay_ms": 250,
            "wait_timeout_ms": 9000,
            "trace_id": "r",  # so that what is told from inside names the operation
        },
        {"priority": Priority.NORMAL, "trace_id": "r/2"},
    ]
    assert [e.details for e in submitted] == [
        {
            "priority": 3,
            "via": "execute",
            "delay_ms": 250,
            "wait_ms": 9000,
            "trace_id": "their-own",
        },
        {"priority": 2, "via": "execute"},
    ]


def test_a_second_action_of_one_operation_has_a_name_of_its_own() -> None:
    async def body(recorded: RecordedScheduler, instance: Any) -> None:
        with on_behalf("friend_watcher.0", "", "friend_watcher"):
            await asyncio.gather(*(recorded.execute(LIKE) for _ in range(3)))
        await recorded.execute(LIKE)

    submitted = [e for e in events_of(UIActionScheduler, body) if e.kind == "action.submitted"]
    assert [(e.op, e.actor) for e in submitted] == [
        ("friend_watcher.0", "friend_watcher"),
        ("friend_watcher.0/2", "friend_watcher"),
        ("friend_watcher.0/3", "friend_watcher"),
        ("bridge", "route"),  # nobody acts
    ]


def test_the_action_runs_as_its_operation_under_the_gate() -> None:
    async def gate(who: Acting) -> None: ...

    async def act() -> None:
        seen.append(acting.get())

    async def body(recorded: RecordedScheduler, instance: Any) -> None:
        with on_behalf("r", "route.like", "somebody"):
            await recorded.execute(UIAction("like", act))
            await recorded.direct(UIAction("like", act))

    seen: list[Any] = []
    events_of(UIActionScheduler, body, gate=gate)
    assert [(who.op, who.class_, who.actor, who.gate) for who in seen] == [
        ("r", "like", "somebody", gate),
        ("r/2", "like", "somebody", gate),
    ]


def test_a_refusal_at_the_call_is_told_by_waiting() -> None:
    class Full:
        def enqueue(self, action: Any) -> Any:
            raise BridgeError("QUEUE_FULL", "no")

    async def body(recorded: RecordedScheduler, instance: Any) -> None:
        answer = recorded.enqueue(SEND)
        with pytest.raises(BridgeError, match="QUEUE_FULL"):
            await answer

    assert [e.outcome for e in events_of(Full, body)] == ["", "rejected"]


def test_who_asks_learns_what_was_submitted_inside() -> None:
    async def body(recorded: RecordedScheduler, instance: Any) -> None:
        inside: list[Any] = []
        submitting.set(inside)
        answer = asyncio.ensure_future(recorded.execute(SEND))
        await asyncio.create_task(like(recorded))
        assert inside == list(recorded.operations.values())
        assert [one.closed.done() for one in inside] == [False, False]
        await answer

    async def like(recorded: RecordedScheduler) -> None:
        recorded.execute(LIKE)

    events_of(UIActionScheduler, body)


def test_what_given_stages_happens_around_the_action() -> None:
    async def body(recorded: RecordedScheduler, instance: UIActionScheduler) -> None:
        sent, liked = recorded.execute(SEND), recorded.execute(LIKE)
        with pytest.raises(BridgeError, match="TARGET_NOT_FOUND"):
            await sent
        with pytest.raises(BridgeError, match="WECHAT_NOT_READY"):
            await liked

    stages = {"send_text": Stage(2.0, "TARGET_NOT_FOUND")}
    settled = [e for e in events_of(UIActionScheduler, body, stages=stages) if e.outcome]
    assert [(e.op, e.outcome, e.time) for e in settled] == [
        ("bridge", "failed", 1_000_000_000),
        ("bridge/2", "rejected", 1_000_000_000),
    ]


# ------------------------------------------------------------------ drains, marks and the inside


@pytest.mark.spec("UI-Q9")
@pytest.mark.parametrize("drains", [True, False])
def test_a_drain_is_recorded_with_its_end(drains: bool) -> None:
    async def body(recorded: RecordedScheduler, instance: UIActionScheduler) -> None:
        instance.execute(lambda: None)
        if drains:
            await instance.start()
        assert await recorded.drain(2.0) is drains
        await instance.stop()

    told = [row for row in record(UIActionScheduler, body) if row[0].startswith("drain")]
    assert told == [
        ("drain.started", "", {"timeout": 2_000_000_000, "pending": 1}),
        *([] if drains else [("drain.timed_out", "", {"pending": 1})]),
        ("drain.ended", "", {"drained": drains}),
    ]


def test_a_scheduler_that_does_not_count_is_recorded_without_a_count() -> None:
    class Plain:
        def enqueue(self, action: Any) -> None: ...

        def drain(self, timeout: float) -> int:
            return 1

    async def body(recorded: RecordedScheduler, instance: Plain) -> None:
        assert await recorded.drain(1.0) is True
        assert recorded.pending_count() == 0
        assert not hasattr(recorded, "get_metrics")

    assert record(Plain, body) == [
        ("drain.started", "", {"timeout": 1_000_000_000}),
        ("drain.ended", "", {"drained": True}),
    ]


def test_inner_events_are_those_of_operations_that_have_an_id() -> None:
    async def body(recorded: RecordedScheduler, instance: UIActionScheduler) -> None:
        instance.execute(lambda: None, trace_id="known")
        instance.execute(lambda: None)
        instance.mark_wechat_dead(8)
        await instance.start()
        await instance.drain()
        await instance.stop()

    told = record(UIActionScheduler, body)
    assert told == [
        ("action.queued", "known", {"pending": 1}),
        ("window.opened", "", {"left": 8_000_000_000, "pending": 2}),
        ("action.fast_failed", "known", {"left": 8_000_000_000}),
    ]


def test_several_observe_one_that_takes_a_single_observer() -> None:
    class Single:
        def enqueue(self, action: Any) -> None: ...

        def observe(self, observer: Any) -> None:
            self.observer = observer

    async def body(recorded: RecordedScheduler, instance: Single) -> None:
        first: list[str] = []
        second: list[str] = []
        ends = [
            recorded.observe(lambda name, op, fields: first.append(name)),
            recorded.observe(lambda name, op, fields: second.append(name)),
        ]
        instance.observer("action.skipped", "op", {})
        ends[0]()
        ends[0]()  # twice does no harm
        instance.observer("coffee.made", "", {})
        assert (first, second) == (["action.skipped"], ["action.skipped", "coffee.made"])

    assert record(Single, body) == [("action.skipped", "op", {})]


def test_a_window_is_opened_and_closed_where_there_is_one() -> None:
    class Slow:
        def __init__(self) -> None:
            self.marked: list[Any] = []

        def enqueue(self, action: Any) -> None: ...

        async def mark_wechat_dead(self, seconds: float) -> None:
            self.marked.append(seconds)

        def mark_wechat_ready(self) -> None:
            self.marked.append("ready")

    class Plain:
        def enqueue(self, action: Any) -> None: ...

    async def body(recorded: RecordedScheduler, instance: Slow) -> None:
        recorded.mark_wechat_dead(8)
        await asyncio.sleep(0)
        recorded.mark_wechat_ready()
        assert instance.marked == [8, "ready"]

    async def nothing(recorded: RecordedScheduler, instance: Plain) -> None:
        recorded.mark_wechat_dead(8)
        recorded.mark_wechat_ready()

    record(Slow, body)
    record(Plain, nothing)


def test_a_foreign_observe_of_another_shape_is_named() -> None:
    class Star:
        def enqueue(self, action: Any) -> None: ...

        def observe(self) -> str:
            return "the sky"

    class Cloud:
        def enqueue(self, action: Any) -> None: ...

        def observe(self, sky: Any) -> Any:
            return sky.colour

    async def body(recorded: RecordedScheduler, instance: Star | Cloud) -> None: ...

    with pytest.raises(PluginError, match=r"Star\.observe is called with its function"):
        record(Star, body)
    with pytest.raises(PluginError, match=r"Cloud\.observe must take a function"):
        record(Cloud, body)


def test_lines_that_are_no_events_are_left_alone() -> None:
    class Chatty:
        def enqueue(self, action: Any) -> None: ...

        def observe(self, observer: Any) -> None:
            observer("coffee.made", "op", {})
            observer("action.submitted", "op", {})
            observer("action.skipped", "op", {"reason": "extra"})

    async def body(recorded: RecordedScheduler, instance: Chatty) -> None: ...

    assert record(Chatty, body) == [("action.skipped", "op", {})]


def test_figures_that_cannot_be_had_are_the_schedulers_fault() -> None:
    class Odd:
        def enqueue(self, action: Any) -> None: ...

        def pending_count(self) -> str:
            return "many"

        def get_metrics(self) -> dict[str, int]:
            raise KeyError("executed_total")

    async def body(recorded: RecordedScheduler, instance: Odd) -> None:
        with pytest.raises(PluginError, match=r"Odd\.pending_count must return a number.*'many'"):
            recorded.pending_count()
        with pytest.raises(PluginError, match=r"Odd\.get_metrics must return a mapping.*KeyError"):
            recorded.get_metrics()

    assert record(Odd, body) == []


def test_an_operation_is_kept_until_it_is_over_and_its_caller_told() -> None:
    async def body(recorded: RecordedScheduler, instance: Any) -> None:
        with on_behalf("r", ""):
            hung_up = asyncio.ensure_future(recorded.execute(SEND))
        await asyncio.sleep(0.1)
        assert list(recorded.operations) == ["r"]
        hung_up.cancel()
        await asyncio.sleep(0.5)
        assert list(recorded.operations) == ["r"]  # it runs on
        await asyncio.sleep(60)
        assert not recorded.operations

    events_of(UIActionScheduler, body)


def test_an_action_that_submits_is_not_taken_for_what_it_submits() -> None:
    async def body(recorded: RecordedScheduler, instance: Any) -> None:
        async def more() -> None:
            recorded.direct(LIKE)

        with on_behalf("r", ""):
            await recorded.direct(UIAction("publish", more))

    submitted = [e for e in events_of(UIActionScheduler, body) if e.kind == "action.submitted"]
    assert [(e.op, e.class_) for e in submitted] == [("r", "publish"), ("r/2", "like")]
