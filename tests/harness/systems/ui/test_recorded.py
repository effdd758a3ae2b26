"""RecordedScheduler: drains recorded around the call, inner events where they are told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from windtunnel.canonical import check_event
from windtunnel.errors import PluginError
from windtunnel.services.ui_scheduler import UIActionScheduler
from windtunnel.systems.ui.plug import PluggedScheduler
from windtunnel.systems.ui.recorded import RecordedScheduler
from windtunnel.trace import Trace
from windtunnel_models import run as run_simulated

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
        assert recorded.metrics() == {}

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


def test_a_foreign_observe_of_another_shape_is_named() -> None:
    class Star:
        def enqueue(self, action: Any) -> None: ...

        def observe(self) -> str:
            return "the sky"

    async def body(recorded: RecordedScheduler, instance: Star) -> None: ...

    with pytest.raises(PluginError, match=r"Star\.observe must take a function"):
        record(Star, body)


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
            recorded.metrics()

    assert record(Odd, body) == []
