"""The ports: what a world without any offers, and what is passed through them."""

from __future__ import annotations

import dataclasses

import pytest

from windtunnel.ports import (
    Desktop,
    Frame,
    Message,
    Ports,
    Processes,
    ProcessSpec,
    Program,
    Records,
    Region,
)


def test_a_world_need_not_offer_any() -> None:
    assert Ports() == Ports(desktop=None, processes=None, records=None)


def test_what_is_passed_cannot_be_changed() -> None:
    for value in (
        Region(0, 0, 10, 20),
        Frame(1, 1, b"\0" * 4),
        Message(1, "alice", "hello", outgoing=True),
        ProcessSpec("scrot", ("scrot", "-")),
        Ports(),
    ):
        name = dataclasses.fields(value)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, name, None)


def test_a_port_is_recognised_by_its_methods() -> None:
    class Database:
        async def friend_requests(self) -> list[str]:
            return []

        async def messages(self, after: int) -> list[Message]:
            return []

    assert isinstance(Database(), Records)
    for other in (Desktop, Processes, Program):
        assert not isinstance(Database(), other)


def test_a_program_works_on_the_machine_unless_it_says_what_on() -> None:
    assert ProcessSpec("wechat", ("wechat",)).resource == "processes"
