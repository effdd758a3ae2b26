"""Verification: reads records only, for so long and no longer, and is cleared."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from windtunnel.errors import WorldError
from windtunnel.ports import Message
from windtunnel.services.bridge.watchers.verification import (
    BOUND_S,
    VERIFIED,
    Baseline,
    Verification,
)

Run = Callable[[Coroutine[Any, Any, None]], None]


@pytest.mark.spec("UI-C1")
def test_four_actions_are_verified() -> None:
    assert set(VERIFIED) == {"revoke", "forward", "set_remark", "add_friend"}


async def known(verification: Verification) -> Baseline:
    before = await verification.baseline("anna")
    assert before is not None
    return before


def _revoke(records: Any) -> None:
    records.written.pop(1)


def _send(records: Any) -> None:
    records.write("anna", "forwarded")


def _notice(records: Any) -> None:
    records.write("anna", "is your friend now", outgoing=False)


@pytest.mark.spec("UI-C1")
@pytest.mark.parametrize(
    ("action", "mark", "seen"),
    [
        ("revoke", _revoke, True),
        ("revoke", _notice, False),
        ("forward", _send, True),
        ("forward", _notice, False),
        ("add_friend", _notice, True),
        ("set_remark", _notice, True),
        ("set_remark", _revoke, False),
    ],
)
def test_each_looks_for_its_own_mark(
    run: Run, world: Any, action: str, mark: Any, seen: bool
) -> None:
    world.records.write("anna", "older", outgoing=False)
    world.records.write("anna", "sent")
    world.records.write("ben", "later")

    async def main() -> None:
        verification = Verification(world.records)
        before = await known(verification)
        task = verification.begin(action, before)
        asyncio.get_running_loop().call_later(2.5, mark, world.records)
        assert verification.pending == 1
        assert await task is seen
        assert asyncio.get_running_loop().time() == (3.0 if seen else BOUND_S)
        await asyncio.sleep(0)
        assert verification.pending == 0

    run(main())
    assert world.desktop.log == []
    assert world.processes.log == []


def test_nothing_was_sent_so_nothing_is_revoked(run: Run, world: Any) -> None:
    async def main() -> None:
        verification = Verification(world.records)
        before = await known(verification)
        assert before.sent is None
        assert await verification.begin("revoke", before) is False

    run(main())


def test_a_baseline_is_as_new_as_the_records(run: Run, world: Any) -> None:
    async def main() -> None:
        verification = Verification(world.records)
        first = world.records.write("anna")
        assert (await known(verification)).sent == first
        world.records.write("anna", outgoing=False)
        second = world.records.write("anna")
        last = world.records.write("ben")
        before = await known(verification)
        assert (before.sent, before.last) == (second, last.id)

    run(main())


def test_records_that_cannot_be_read_harm_nobody(
    run: Run, world: Any, caplog: pytest.LogCaptureFixture
) -> None:
    async def main() -> None:
        verification = Verification(world.records)
        before = await known(verification)
        world.records.error = OSError("locked")
        assert await verification.baseline("anna") is None
        assert await verification.begin("forward", before) is False
        world.records.error = WorldError("cannot go on")
        with pytest.raises(WorldError):
            await verification.baseline("anna")
        with pytest.raises(WorldError):
            await verification.begin("forward", before)

    run(main())
    assert "the records cannot be read" in caplog.text
    assert "cannot verify forward to anna" in caplog.text


def test_records_that_hang_are_given_up(run: Run, world: Any) -> None:
    async def hang(after: int) -> Any:
        await asyncio.Event().wait()

    world.records.messages = hang

    async def main() -> None:
        assert await Verification(world.records).baseline("anna") is None
        assert asyncio.get_running_loop().time() == 5.0

    run(main())


@pytest.mark.spec("UI-C1")
def test_clear_gives_up_what_is_under_way(run: Run, world: Any) -> None:
    async def main() -> None:
        verification = Verification(world.records, world.note)
        before = await known(verification)
        tasks = [verification.begin("forward", before) for _ in range(3)]
        await asyncio.sleep(1.5)
        await verification.clear()
        assert all(task.cancelled() for task in tasks)
        assert asyncio.get_running_loop().time() == 1.5
        await verification.clear()

    run(main())
    assert world.notes == [
        ("verification.cleared", "", {"pending": 3}),
        ("verification.cleared", "", {"pending": 0}),
    ]


@pytest.mark.spec("UI-C1")
def test_a_message_is_seen_to_be_revoked_once(run: Run, world: Any) -> None:
    async def main() -> None:
        world.records.write("anna", "hello")
        verification = Verification(world.records)
        seen = []
        for _ in range(2):
            before = await verification.baseline("anna")
            assert before is not None
            world.records.written[0] = Message(1, "anna", "[revoked]", outgoing=True)
            seen.append(await verification.begin("revoke", before))
        assert seen == [True, False]

    run(main())
