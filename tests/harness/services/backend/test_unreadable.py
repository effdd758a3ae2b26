"""The unreadable: what nobody can read stops nobody, and whoever waits for it learns of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fleet_kit import cluster_of
from path_kit import Shelf, Stage, on_stage
from windtunnel.ports.store import Put
from windtunnel.services.backend.journal import UNTOLD
from windtunnel.services.backend.known import KNOWN
from windtunnel.services.backend.ledger import Ledger
from windtunnel.services.backend.unreadable import BROKEN, OPEN, UNREADABLE
from windtunnel.services.wire.task import Task

Run = Callable[[Coroutine[Any, Any, None]], None]
GOOD = '{"number":7,"task":{"body":{"workflow_id":"w"},"platform":"p"}}'
BAD = [
    "",
    "{",
    "[]",
    "null",
    "{}",
    '{"number":"7","task":{"body":{},"platform":"p"}}',
    '{"number":7,"task":{"body":3,"platform":"p"}}',
    '{"number":7,"of a later version":1,"task":{"body":{},"platform":"p"}}',
    "[" * 100_000,
]

pytestmark = pytest.mark.spec("RT-X2", "RT-R3")


def ledger_on(shelf: Shelf) -> Ledger:
    return Ledger(shelf.crash(), lambda error: None, routing=True)


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("place", OPEN)
def test_a_task_that_cannot_be_read_has_failed_and_the_others_go_on(
    run: Run, place: str, bad: str
) -> None:
    async def main() -> None:
        shelf = Shelf()
        await shelf.handle.commit([Put(place, "good", GOOD), Put(place, "bad", bad)])
        for _ in range(2):  # a further start finds it in order
            ledger = ledger_on(shelf)
            await ledger.load()
            await ledger.journal.keep()
            assert (ledger.place("good"), ledger.place("bad")) == (place, "failed")
            assert (ledger.untold["bad"].status, ledger.untold["bad"].error) == (
                "failed",
                UNREADABLE,
            )
            assert ledger.add(Task("bad")) is None
        assert shelf.tables()["failed"] == ["bad"]
        assert shelf.tables()[place] == ["good"]
        assert shelf.store.get(BROKEN, f"{place}/bad") == bad

    run(main())


@given(texts=st.dictionaries(st.sampled_from([*OPEN, KNOWN, UNTOLD]), st.text()))
def test_whatever_stands_in_the_store_it_is_read(texts: dict[str, str]) -> None:
    async def script(stage: Stage) -> None:
        shelf = Shelf()
        puts = [Put(key, f"bad {key}", text) for key, text in texts.items()]
        await shelf.handle.commit([*puts, Put("waiting", "good", GOOD)])
        ledger = ledger_on(shelf)
        await ledger.load()
        assert ledger.place("good") == "waiting"
        for key in texts:
            assert key == UNTOLD or ledger.place(f"bad {key}") == "failed"

    on_stage(script)


def test_a_backend_starts_and_tells_the_owner(caplog: pytest.LogCaptureFixture) -> None:
    async def script(stage: Stage) -> None:
        undo = await stage.fault("crash", target="backend")
        store = cluster_of(stage.world).hosts.store("backend")
        store.commit([Put("inside", "bad", "{"), Put("waiting", "good", GOOD)], ())
        await undo()
        await stage.settle(2)
        assert stage.outcome("bad") == [("failed", UNREADABLE)]
        assert stage.outcome("good") == [("done", None)]
        assert stage.lives == 2
        await asyncio.sleep(1)

    on_stage(script)
    assert "bad of `inside` cannot be read" in caplog.text
