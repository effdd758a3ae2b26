"""Owners: told once it is stored, in order, and again only where they did not hear."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from path_kit import Shelf, Stage, on_stage
from windtunnel.services.backend.answer import Answer
from windtunnel.services.backend.ledger import Ledger
from windtunnel.services.backend.owners import Owners
from windtunnel.services.wire.task import Task

Run = Callable[[Coroutine[Any, Any, None]], None]


@pytest.mark.spec("RT-P4")
def test_the_owner_is_told_once_with_the_right_result() -> None:
    async def script(stage: Stage) -> None:
        await stage.submit("t", 1.0)
        await asyncio.sleep(60)
        ((at, answer),) = stage.told
        assert (answer.status, answer.result) == ("done", "image of t by w")
        assert 1.0 < at < 1.1
        assert stage.figure("untold") == 0

    on_stage(script)


def test_one_who_does_not_hear_is_told_again() -> None:
    async def script(stage: Stage) -> None:
        stage.deaf = True
        await stage.submit("t")
        await stage.submit("u")
        await asyncio.sleep(10)
        assert (stage.told, stage.figure("untold")) == ([], 2)
        stage.deaf = False
        await asyncio.sleep(1.5)
        assert [answer.id for _, answer in stage.told] == ["t", "u"]
        assert stage.figure("untold") == 0

    on_stage(script)


@pytest.mark.spec("RT-B4")
def test_what_was_not_told_before_a_crash_is_told_after_it() -> None:
    async def script(stage: Stage) -> None:
        stage.deaf = True
        await stage.submit("t")
        await asyncio.sleep(5)
        undo = await stage.fault("crash", target="backend")
        stage.deaf = False
        await undo()
        await stage.settle(1)
        await asyncio.sleep(30)
        assert [answer.id for _, answer in stage.told] == ["t"]

    on_stage(script)


def test_what_ends_while_another_is_stored_is_told_when_it_is_stored_itself(run: Run) -> None:
    async def main() -> None:
        shelf, told = Shelf(), []
        ledger = Ledger(shelf.handle, lambda error: None, routing=True)

        async def tell(answer: Answer) -> None:
            assert answer.id in shelf.tables()["done"]
            told.append(answer.id)

        owners = Owners(ledger, tell)
        running = asyncio.ensure_future(owners.run())
        for id_ in "ab":
            ledger.add(Task(id_))
        ledger.finish(Answer("a", "done"))
        owners.wake()
        await asyncio.sleep(0)  # its commit is under way
        ledger.finish(Answer("b", "done"))
        await asyncio.sleep(1)
        assert told == ["a", "b"]
        running.cancel()

    run(main())


@pytest.mark.spec("RT-X2")
def test_nobody_is_told_what_is_not_stored() -> None:
    async def script(stage: Stage) -> None:
        await stage.submit("t", 2.0)
        await asyncio.sleep(1)
        undo = await stage.fault("store_down", target="backend")
        await asyncio.sleep(10)
        assert stage.figure("done") == 1
        assert stage.told == []
        await undo()
        await stage.settle(1)
        assert stage.watch.path("t") == "waiting sending inside done"

    on_stage(script)
