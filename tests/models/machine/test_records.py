"""SimRecords: what the application wrote down, read without a display."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from desktop_kit import machine_of
from windtunnel.ports import Message, Records
from windtunnel_models.world import SimWorld


def test_is_the_port_and_reads_what_is_there(play_desktop: Callable[..., SimWorld]) -> None:
    async def body(world: SimWorld) -> None:
        records = world.ports.records
        assert isinstance(records, Records)
        for text in "abc":
            machine_of(world).database.add_message("bob", text)
        assert [each.text for each in await records.messages(0)] == ["a", "b", "c"]
        assert await records.messages(2) == (Message(3, "bob", "c", outgoing=True),)
        assert await records.messages(3) == ()
        assert [each.id for each in await records.messages(-1)] == [1, 2, 3]
        assert await records.friend_requests() == ("ann", "bob")

    requests = [{"at": 0, "from": "ann"}, {"at": 0, "from": "bob"}]
    world = play_desktop(body, running=False, autostart=None, friend_requests=requests)
    assert not list(world.trace.of("command.started"))


@pytest.mark.spec("UI-C2")
def test_reading_takes_no_time(play_desktop: Callable[..., SimWorld]) -> None:
    async def body(world: SimWorld) -> None:
        assert world.ports.records is not None
        await world.ports.records.messages(0)
        assert world.loop.time() == 0

    play_desktop(body)
