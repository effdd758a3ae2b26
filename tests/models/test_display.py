"""SimDisplay: one command at a time with the lock, several without, and no trace of who gave up."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.acting import Acting, acting
from windtunnel.canonical import check_event
from windtunnel.trace import Event, Trace
from windtunnel_models import run as run_simulated
from windtunnel_models.access import AccessLog
from windtunnel_models.display import SimDisplay

Body = Callable[[SimDisplay], Coroutine[Any, Any, None]]


def play(body: Body, *, locked: bool = True) -> list[Event]:
    trace = Trace(lambda: round(asyncio.get_running_loop().time() * 1e9))
    run_simulated(body(SimDisplay(trace, AccessLog(), locked=locked)))
    for event in trace:
        check_event(event)
    return list(trace)


def spans(events: list[Event]) -> list[tuple[str, float, float, str]]:
    """Give (operation, begin, end, outcome) in seconds, in the order of the ends."""
    begun = {
        (event.op, event.details["step"]): event.time
        for event in events[::1]
        if event.kind == "command.started"
    }
    return [
        (event.op, begun[event.op, event.details["step"]] / 1e9, event.time / 1e9, event.outcome)
        for event in events
        if event.kind == "command.ended"
    ]


async def perform(display: SimDisplay, op: str, *seconds: float) -> None:
    acting.set(Acting(op, "send_text"))
    for number, each in enumerate(seconds):
        await display.perform(f"command{number}", each)


@pytest.mark.spec("UI-L1")
@pytest.mark.parametrize(
    ("locked", "ends"),
    [
        (True, [("a", 0, 1, "done"), ("b", 1, 3, "done")]),
        (False, [("a", 0, 1, "done"), ("b", 0, 2, "done")]),
    ],
)
def test_two_commands(locked: bool, ends: list[tuple[str, float, float, str]]) -> None:
    async def body(display: SimDisplay) -> None:
        await asyncio.gather(perform(display, "a", 1), perform(display, "b", 2))

    assert spans(play(body, locked=locked)) == ends


@pytest.mark.spec("UI-L1")
@given(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=4), max_size=4))
def test_commands_never_overlap(flows: list[list[int]]) -> None:
    async def body(display: SimDisplay) -> None:
        await asyncio.gather(
            *(perform(display, f"op{number}", *flow) for number, flow in enumerate(flows))
        )

    kinds = [event.kind for event in play(body)]
    assert kinds == ["command.started", "command.ended"] * sum(map(len, flows))


def test_who_is_cancelled_while_waiting_leaves_no_event_and_keeps_its_step() -> None:
    async def body(display: SimDisplay) -> None:
        holding = asyncio.ensure_future(perform(display, "a", 2))

        async def impatient() -> None:
            acting.set(Acting("b", "send_text"))
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(1):
                    await display.perform("first", 1)
            await display.perform("second", 1)

        await asyncio.gather(holding, impatient())

    events = play(body)
    assert spans(events) == [("a", 0, 2, "done"), ("b", 2, 3, "done")]
    assert [event.details for event in events if event.op == "b"] == [
        {"command": "second", "step": 0}
    ] * 2


@pytest.mark.spec("UI-F3")
def test_who_is_cancelled_while_holding_ends_as_aborted_and_lets_go() -> None:
    async def body(display: SimDisplay) -> None:
        holding = asyncio.ensure_future(perform(display, "a", 5))
        waiting = asyncio.ensure_future(perform(display, "b", 1))
        await asyncio.sleep(2)
        holding.cancel()
        await asyncio.gather(holding, waiting, return_exceptions=True)

    assert spans(play(body)) == [("a", 0, 2, "aborted"), ("b", 2, 3, "done")]


def test_each_command_has_its_place_in_the_flow() -> None:
    async def body(display: SimDisplay) -> None:
        await perform(display, "a", 1, 1, 1)

    steps = [event.details["step"] for event in play(body) if event.kind == "command.ended"]
    assert steps == [0, 1, 2]
