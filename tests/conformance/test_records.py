"""The port `Records` in two worlds: what it tells, while the application runs and without it."""

from __future__ import annotations

import asyncio

import pytest

from windtunnel.ports import ProcessSpec, Records
from worlds_kit import Stage, same

pytestmark = pytest.mark.real

NEVER, SOON = 10**15, 200_000_000


async def read(stage: Stage) -> None:
    await stage.see("requests", stage.records.friend_requests())
    for after in (-1, 0, 1, 99):
        await stage.see(f"messages after {after}", stage.records.messages(after))


def test_every_method_is_played() -> None:
    assert {name for name in vars(Records) if name[0] != "_"} == {"friend_requests", "messages"}


def test_what_was_done_is_read() -> None:
    async def body(stage: Stage) -> None:
        await read(stage)
        await stage.do("click", "session:bob")
        await stage.do("type_text", "one\ntwo\n")
        await stage.do("click", "last_message")
        await stage.do("click", "revoke")
        await read(stage)
        await stage.do("click", "requests")
        await stage.do("click", "accept")
        await stage.do("click", "confirm")
        await read(stage)

    people = [{"at": 0, "from": "ann"}, {"at": 0, "from": "eve"}, {"at": 0, "from": "ann"}]
    account = same(body, friend_requests=[*people, {"at": NEVER, "from": "late"}])
    told = [told for what, told in account.seen if what == "requests"]
    assert told == [["ann", "eve"], ["ann", "eve"], ["eve"]]


def test_it_is_read_without_the_application() -> None:
    async def body(stage: Stage) -> None:
        await read(stage)
        async with asyncio.timeout(20):
            while len(await stage.records.friend_requests()) < 2:  # noqa: ASYNC110 - a file tells nobody
                await asyncio.sleep(0.02)
        await read(stage)
        await stage.processes.start(ProcessSpec("wechat", ("wechat",)))
        await stage.do("wait_window", 20.0)
        await read(stage)
        await stage.look()
        await stage.inject("kill")
        await read(stage)

    people = [{"at": 0, "from": "ann"}, {"at": SOON, "from": "eve"}]
    account = same(body, running=False, friend_requests=people)
    told = [told for what, told in account.seen if what == "requests"]
    assert told == [["ann"], *[["ann", "eve"]] * 3]
