"""BatchWorker: item after item at its gap, each an operation, a result for each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from windtunnel.acting import Acting, acting
from windtunnel.errors import BridgeError, Code, WorldError
from windtunnel.services.bridge.routes.batch import BatchWorker, Send, SendResult

Run = Callable[[Coroutine[Any, Any, None]], None]


@pytest.mark.spec("UI-R1")
@pytest.mark.parametrize("wiring", ["before", "phase1", "after"])
def test_one_after_another_at_the_gap(run: Run, world: Any, wiring: str) -> None:
    async def main() -> None:
        bridge = world.bridge(wiring)
        await bridge.start()
        acting.set(Acting("b", "batch.run", actor="call"))
        sends = [Send("anna", "one"), Send("anna", file="two.pdf"), Send("ben", "three")]
        results = await bridge.batch.run(sends, gap_s=2.0)
        assert results == [SendResult(n, s.to, ok=True) for n, s in enumerate(sends)]
        await bridge.stop()

    run(main())
    probes = [
        (round(at, 3), op) for at, op, name in world.desktop.commands if name == "login_state"
    ]
    # 0.9 s in full, 0.6 s for the open session, and the gap
    assert probes == [(0.0, "b.0"), (2.9, "b.1"), (5.5, "b.2")]


class Orchestrator:
    """Fails as it is told, and writes down who acts."""

    def __init__(self, errors: list[BaseException | None]) -> None:
        self.errors = errors
        self.ops: list[tuple[str, str, str]] = []

    async def send_text(self, to: str, text: str) -> None:
        who = acting.get()
        assert who is not None
        self.ops.append((who.op, who.class_, who.actor))
        if (error := self.errors.pop(0)) is not None:
            raise error

    async def send_file(self, to: str, file: str) -> None:
        await self.send_text(to, file)


def worker(*errors: BaseException | None) -> tuple[BatchWorker, Orchestrator]:
    orchestrator = Orchestrator(list(errors))
    return BatchWorker(orchestrator), orchestrator  # type: ignore[arg-type] # has what it takes


def test_what_fails_is_in_the_results_and_the_others_are_sent(run: Run) -> None:
    async def main() -> None:
        full = BridgeError(Code.RATE_LIMITED, "full", {"retry_after": 3})
        batch, _ = worker(full, None, ValueError("odd"), None)
        results = await batch.run([Send("a", "x"), Send("b", "x"), Send("c", "x"), Send("d", "x")])
        assert results == [
            SendResult(0, "a", ok=False, code="RATE_LIMITED", retry_after=3),
            SendResult(1, "b", ok=True),
            SendResult(2, "c", ok=False, code="ValueError"),
            SendResult(3, "d", ok=True),
        ]
        assert await batch.run([]) == []

    run(main())


def test_batches_of_nobody_have_numbers_of_their_own(run: Run) -> None:
    async def main() -> None:
        batch, orchestrator = worker(None, None, None)
        await batch.run([Send("a", "x"), Send("a", file="y")])
        await batch.run([Send("a", "x")])
        assert orchestrator.ops == [
            ("batch-0.0", "send_text", "batch"),
            ("batch-0.1", "send_file", "batch"),
            ("batch-1.0", "send_text", "batch"),
        ]

    run(main())


def test_a_world_that_cannot_go_on_ends_the_batch(run: Run) -> None:
    async def main() -> None:
        batch, orchestrator = worker(WorldError("cannot go on"), None)
        with pytest.raises(WorldError):
            await batch.run([Send("a", "x"), Send("b", "x")])
        assert len(orchestrator.ops) == 1

    run(main())


def test_its_caller_s_end_ends_the_batch_an_item_s_does_not(run: Run) -> None:
    async def main() -> None:
        batch, _ = worker(asyncio.CancelledError(), None)
        results = await batch.run([Send("a", "x"), Send("b", "x")])
        assert [(result.ok, result.code) for result in results] == [
            *((False, "CancelledError"), (True, None))
        ]
        batch, orchestrator = worker(None, None)
        task = asyncio.ensure_future(batch.run([Send("a", "x"), Send("b", "x")], gap_s=1.0))
        await asyncio.sleep(0.5)
        task.cancel()
        await asyncio.wait({task})
        assert task.cancelled()
        assert len(orchestrator.ops) == 1

    run(main())
