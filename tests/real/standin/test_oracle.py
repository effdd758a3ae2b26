"""The oracle: lines come before the replies that follow them, and nothing it asks can hang."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from typing import Any

import pytest

from standin_kit import PATIENCE_S, Standin
from windtunnel_real.errors import DeadlineError, StandinError
from windtunnel_real.standin.oracle import Oracle


def test_it_asks_and_hears_in_order(app: Standin) -> None:
    async def run() -> None:
        oracle = await Oracle.connect(app.control, PATIENCE_S)
        heard: list[Any] = []
        stop = oracle.listen(lambda line: heard.append(line["kind"]))
        state = await oracle.ask("state", timeout=PATIENCE_S)
        assert state["session"] == "alice"
        app.hands.click(*(470, 500))
        app.hands.type("hi")
        app.hands.key("Return")
        await oracle.drain(PATIENCE_S)
        assert heard == ["click", "text", "key", "message.delivered"]
        stop()
        stop()
        await oracle.ask("request", timeout=PATIENCE_S, **{"from": "eve"})
        assert len(heard) == 4
        lost = oracle.closed
        assert not lost
        await oracle.close()
        assert oracle.closed
        with pytest.raises(StandinError, match="is gone"):
            await oracle.ask("state", timeout=PATIENCE_S)

    asyncio.run(run())


def test_many_questions_at_once(app: Standin) -> None:
    async def run() -> None:
        oracle = await Oracle.connect(app.control, PATIENCE_S)
        asked = [
            oracle.ask("reveal", timeout=PATIENCE_S, target=f"session:n{n}") for n in range(20)
        ]
        places = await asyncio.gather(*asked)
        assert len({place["id"] for place in places}) == 20
        await oracle.close()

    asyncio.run(run())


def test_what_it_refuses(app: Standin) -> None:
    async def run() -> None:
        oracle = await Oracle.connect(app.control, PATIENCE_S)
        with pytest.raises(StandinError, match="unknown request 'dance'"):
            await oracle.ask("dance", timeout=PATIENCE_S)
        await oracle.drain(PATIENCE_S)
        await oracle.close()

    asyncio.run(run())


def test_a_stopped_process_is_a_deadline_and_answers_later(app: Standin) -> None:
    async def run() -> None:
        oracle = await Oracle.connect(app.control, PATIENCE_S)
        await oracle.drain(PATIENCE_S)
        app.process.send_signal(signal.SIGSTOP)
        with pytest.raises(DeadlineError, match="did not `drain` within"):
            await oracle.drain(0.05)
        app.process.send_signal(signal.SIGCONT)
        assert (await oracle.ask("state", timeout=PATIENCE_S))["session"] == "alice"
        await oracle.close()

    asyncio.run(run())


def test_a_process_that_goes_is_told_at_once(app: Standin) -> None:
    async def run() -> None:
        oracle = await Oracle.connect(app.control, PATIENCE_S)
        app.process.send_signal(signal.SIGSTOP)
        asking = asyncio.create_task(oracle.drain(PATIENCE_S))
        await asyncio.sleep(0)
        app.process.send_signal(signal.SIGKILL)
        with pytest.raises(StandinError, match="is gone"):
            await asking
        async with asyncio.timeout(PATIENCE_S):
            await oracle.lost.wait()
        assert oracle.closed
        await oracle.close()

    asyncio.run(run())


def test_nobody_who_listens(tmp_path: Path) -> None:
    async def run() -> None:
        with pytest.raises(DeadlineError, match="no stand-in answers"):
            await Oracle.connect(tmp_path / "none", 0.05)

    asyncio.run(run())


def test_one_that_is_closed_before_it_has_read_anything_lets_go(app: Standin) -> None:
    async def run() -> None:
        oracle = await Oracle.connect(app.control, PATIENCE_S)
        await oracle.close()
        assert oracle.closed
        assert oracle._writer.is_closing()
        with pytest.raises(StandinError, match="is gone"):
            await oracle.ask("state", timeout=PATIENCE_S)

    asyncio.run(run())
