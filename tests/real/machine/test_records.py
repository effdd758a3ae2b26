"""The records: what the stand-in has written down, read while it runs and after its end."""

from __future__ import annotations

import asyncio
from pathlib import Path

from run_kit import desktop_of, machine_of, run, world_of
from windtunnel.ports import Records
from windtunnel.world import RunEnd
from windtunnel_real.machine.records import RealRecords
from windtunnel_real.world import RealWorld


def records_of(world: RealWorld) -> Records:
    assert world.ports.records is not None
    return world.ports.records


async def send(world: RealWorld, text: str) -> None:
    desktop = desktop_of(world)
    await desktop.click("session:张三")
    await desktop.click("input")
    await desktop.paste_text(text)
    await desktop.click("send")


def test_messages_are_read_from_an_id_on_also_when_nobody_runs() -> None:
    async def body(world: RealWorld) -> None:
        for text in ("one", "二"):
            await send(world, text)
        assert await machine_of(world).kill_all("wechat")
        found = await records_of(world).messages(0)
        assert [(each.contact, each.text) for each in found] == [("张三", "one"), ("张三", "二")]
        assert all(each.outgoing for each in found)
        assert list(await records_of(world).messages(found[0].id)) == [found[1]]
        assert list(await records_of(world).messages(found[1].id)) == []
        assert list(await records_of(world).messages(-1)) == list(found)

    assert run(world_of(), body) == RunEnd("finished")


def test_open_requests_are_read_the_oldest_first() -> None:
    async def body(world: RealWorld) -> None:
        assert list(await records_of(world).friend_requests()) == ["bob", "eve"]

    requests = [{"at": 0, "from": "bob"}, {"at": 0, "from": "eve"}]
    assert run(world_of(friend_requests=requests), body) == RunEnd("finished")


def test_of_an_application_that_never_ran_there_are_none(tmp_path: Path) -> None:
    records = RealRecords(tmp_path)
    assert list(asyncio.run(records.messages(0))) == []
    assert list(asyncio.run(records.friend_requests())) == []
