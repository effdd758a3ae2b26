"""A command on its way: bounded, pictured, somebody's doing; recorded whatever comes of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from windtunnel.acting import Acting, acting
from windtunnel.errors import BridgeError
from windtunnel.machine.ambushes import Ambushes
from windtunnel.machine.commands import Command, Commands
from windtunnel.machine.latencies import Latencies
from windtunnel.streams import stream
from windtunnel.trace import Trace
from windtunnel_real.errors import DeadlineError
from windtunnel_real.machine.going import Going, Goings, When, no_picture, no_window
from windtunnel_real.machine.told import Told

Body = Callable[[Goings], Awaitable[None]]


def play(body: Body, seen: list[str] | None = None) -> Trace:
    trace = Trace(lambda: 0)

    async def picture(command: Command, when: When) -> None:
        if seen is not None:
            seen.append(f"{when} {command.who.op} {command.name}")

    async def main() -> None:
        acting.set(Acting("send.0", "send_text"))
        commands = Commands(
            trace, Latencies({}, {}, stream(0, "latency"), otherwise=0.0), Ambushes(), asyncio.sleep
        )
        await body(Goings(commands, Told(trace), picture))

    asyncio.run(main())
    return trace


def outcomes(trace: Trace) -> list[tuple[str, str, str]]:
    return [
        (event.details["command"], event.resource, event.outcome)
        for event in trace.of("command.ended")
    ]


def test_it_is_recorded_and_pictured_before_and_after() -> None:
    async def body(goings: Goings) -> None:
        async with goings.begin("click", "search") as going:
            assert isinstance(going, Going)
            assert 0 < going.left() <= 5

    seen: list[str] = []
    assert outcomes(play(body, seen)) == [("click", "display", "done")]
    assert seen == ["before send.0 click", "after send.0 click"]


@pytest.mark.parametrize("error", [TimeoutError, DeadlineError("stuck")])
def test_what_takes_too_long_below_is_a_time_out(error: Exception) -> None:
    async def body(goings: Goings) -> None:
        with pytest.raises(BridgeError, match="click was given up after 5 s") as raised:
            async with goings.begin("click"):
                raise error
        assert raised.value.code == "TIMEOUT"

    seen: list[str] = []
    assert outcomes(play(body, seen)) == [("click", "display", "failed")]
    assert len(seen) == 2


def test_at_its_bound_it_is_given_up_and_nothing_is_left_of_its_time() -> None:
    async def body(goings: Goings) -> None:
        kept: list[Going] = []

        async def command() -> None:
            async with goings.begin("hold", bound=0.05) as going:
                kept.append(going)
                await asyncio.sleep(600)

        with pytest.raises(BridgeError, match=r"hold was given up after 0\.05 s"):
            await command()
        with pytest.raises(TimeoutError):
            kept[0].left()

    assert outcomes(play(body)) == [("hold", "display", "failed")]


def test_one_that_is_cancelled_is_broken_off_and_pictured_all_the_same() -> None:
    async def body(goings: Goings) -> None:
        async def command() -> None:
            async with goings.begin("click"):
                await asyncio.sleep(600)

        task = asyncio.create_task(command())
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    seen: list[str] = []
    assert outcomes(play(body, seen)) == [("click", "display", "aborted")]
    assert seen[-1] == "after send.0 click"


def test_what_is_told_meanwhile_is_its_doing() -> None:
    async def body(goings: Goings) -> None:
        async with goings.begin("click", "send"):
            goings.told.hear(
                {"kind": "message.delivered", "resource": "bob", "details": {"text": "hi"}}
            )

    (event,) = play(body).of("message.delivered")
    assert (event.op, event.class_, event.resource) == ("send.0", "send_text", "bob")


def test_without_a_window_it_says_so() -> None:
    async def body(goings: Goings) -> None:
        async with goings.begin("key") as going:
            error = no_window(going.command)
        assert (error.code, error.message) == ("WINDOW_NOT_FOUND", "key found no window of WeChat")
        await no_picture(going.command, "after")

    play(body)
