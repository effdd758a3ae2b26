"""MessageStreamer: every message once, in order, to everybody who subscribed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.ports import Message
from windtunnel.services.bridge.watchers.streamer import MessageStreamer
from windtunnel_models import run as run_simulated

Run = Callable[[Coroutine[Any, Any, None]], None]


@given(st.lists(st.sampled_from(["write", "poll", "join", "leave", "error"])))
def test_for_all_histories_who_is_there_gets_each_message_once(
    make_world: Callable[[], Any], history: list[str]
) -> None:
    world = make_world()
    got: list[int] = []
    expected: list[int] = []
    unread: list[int] = []

    async def main() -> None:
        streamer = MessageStreamer(world.records)
        end = None
        for step in history:
            if step == "write":
                unread.append(world.records.write("anna").id)
            elif step == "join" and end is None:
                end = streamer.subscribe(lambda message: got.append(message.id))
            elif step == "leave" and end is not None:
                end()
                end()
                end = None
            elif step == "error":
                world.records.error = OSError("locked")
                with pytest.raises(OSError, match="locked"):
                    await streamer.poll()
                world.records.error = None
            elif step == "poll":
                assert [m.id for m in await streamer.poll()] == unread
                if end is not None:
                    expected.extend(unread)
                unread.clear()

    run_simulated(main())
    assert got == expected


@pytest.mark.spec("UI-C2")
def test_polls_by_itself_and_survives_its_subscribers(
    run: Run, world: Any, caplog: pytest.LogCaptureFixture
) -> None:
    got: list[Message] = []

    def broken(message: Message) -> None:
        raise ValueError("no")

    async def main() -> None:
        streamer = MessageStreamer(world.records, period_s=1.0)
        streamer.subscribe(broken)
        streamer.subscribe(got.append)
        streamer.loop.start()
        await asyncio.sleep(0.5)
        first = world.records.write("anna", "hi")
        await asyncio.sleep(1)
        assert got == [first]
        second = world.records.write("ben", "ho")
        await asyncio.sleep(1)
        assert got == [first, second]
        await streamer.loop.stop()

    run(main())
    assert "a subscriber failed on message 1" in caplog.text
    assert world.desktop.log == []
