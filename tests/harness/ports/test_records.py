"""The port `Records`: what it is recognised by."""

from __future__ import annotations

from windtunnel.ports.desktop import Desktop
from windtunnel.ports.processes import Processes, Program
from windtunnel.ports.records import Message, Records


class Database:
    async def friend_requests(self) -> list[str]:
        return []

    async def messages(self, after: int) -> list[Message]:
        return []


def test_a_port_is_recognised_by_its_methods() -> None:
    assert isinstance(Database(), Records)
    for other in (Desktop, Processes, Program):
        assert not isinstance(Database(), other)
