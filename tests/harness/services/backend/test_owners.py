"""Owners: told once it is stored, in order, and again only where they did not hear."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from itertools import pairwise
from typing import Any

import pytest

from path_kit import Shelf, Stage, on_stage, right
from windtunnel.services.backend.answer import Answer
from windtunnel.services.backend.ledger import Ledger
from windtunnel.services.backend.owners import AT_ONCE, TELL_S, Owners
from windtunnel.services.wire.task import Task

Run = Callable[[Coroutine[Any, Any, None]], None]


@pytest.mark.spec("RT-P4")
def test_the_owner_is_told_once_with_the_right_result() -> None:
    async def script(stage: Stage) -> None:
        await stage.submit("t", 1.0)
        await asyncio.sleep(60)
        ((at, answer),) = stage.told
        assert (answer.status, answer.result) == ("done", right("t", 1.0))
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
        await asyncio.sleep(7)  # they were told at 1, 2, 4 and 8 s
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


class Ears:
    """Owners of whom some never listen; `begun` holds (when, whom) of each attempt."""

    def __init__(self, *ids: str, dead: str = "dead") -> None:
        self.begun: list[tuple[float, str]] = []
        self.told: dict[str, float] = {}
        self.at_once = self.most = 0
        self.dead = dead
        self.ledger = Ledger(Shelf().handle, lambda error: None, routing=True)
        self.owners = Owners(self.ledger, self.tell)
        self.end(*ids)
        self.running = asyncio.ensure_future(self.owners.run())

    def end(self, *ids: str) -> None:
        for id_ in ids:
            self.ledger.add(Task(id_))
            self.ledger.finish(Answer(id_, "done"))
        self.owners.wake()

    async def tell(self, answer: Answer) -> None:
        now = asyncio.get_running_loop().time()
        self.begun.append((now, answer.id))
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        try:
            if answer.id.startswith(self.dead):
                await asyncio.get_running_loop().create_future()
        finally:
            self.at_once -= 1
        self.told[answer.id] = now


def test_owners_who_do_not_listen_hold_up_nobody_else(run: Run) -> None:
    async def main() -> None:
        ears = Ears(*(f"dead.{i}" for i in range(20)), "a", "b")
        await asyncio.sleep(0.3)
        assert list(ears.told) == ["a", "b"]
        ears.end("c")
        await asyncio.sleep(0.3)
        assert "c" in ears.told
        ears.running.cancel()

    run(main())


def test_not_too_many_are_told_at_once_and_what_is_new_goes_first(run: Run) -> None:
    async def main() -> None:
        ears = Ears(*(f"dead.{i}" for i in range(300)))
        await asyncio.sleep(400)
        assert ears.most == AT_ONCE
        for i in range(20):
            ears.end(f"live.{i}")
            began = asyncio.get_running_loop().time()
            await asyncio.sleep(5)
            assert ears.told[f"live.{i}"] - began <= 0.2
        ears.running.cancel()

    run(main())


def test_one_who_does_not_listen_is_told_later_and_later(run: Run) -> None:
    async def main() -> None:
        ears = Ears("dead")
        await asyncio.sleep(1000)
        began = [round(at) for at, _ in ears.begun]
        pauses = [then - now - TELL_S for now, then in pairwise(began)]
        assert pauses[:8] == [1, 2, 4, 8, 16, 32, 60, 60]
        ears.dead = "nobody"
        await asyncio.sleep(100)
        assert list(ears.told) == ["dead"]
        assert ears.ledger.untold == {}
        ears.running.cancel()

    run(main())


def test_those_who_listen_are_told_in_order(run: Run) -> None:
    async def main() -> None:
        ears = Ears(*(f"t.{i}" for i in range(200)))
        await asyncio.sleep(1)
        assert list(ears.told) == [f"t.{i}" for i in range(200)]
        assert ears.most == 1
        ears.running.cancel()

    run(main())


def test_run_again_after_an_error_it_tells_what_is_left(run: Run) -> None:
    async def main() -> None:
        ears = Ears("dead.0", "dead.1")
        await asyncio.sleep(TELL_S + 0.5)  # they are to be told again half a second later
        ears.running.cancel()
        await asyncio.gather(ears.running, return_exceptions=True)
        ears.dead = "nobody"
        ears.running = asyncio.ensure_future(ears.owners.run())
        await asyncio.sleep(200)
        assert sorted(ears.told) == ["dead.0", "dead.1"]
        assert [who for _, who in ears.begun].count("dead.0") == 2, "its old timer tells nobody"
        ears.running.cancel()

    run(main())
