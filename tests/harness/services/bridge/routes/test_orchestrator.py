"""FlowOrchestrator: the probe, the queue, the short way to an open session."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from windtunnel.errors import BridgeError, Code

Run = Callable[[Coroutine[Any, Any, None]], None]


@pytest.mark.spec("UI-C1", "UI-C3", "UI-R1")
@pytest.mark.parametrize("wiring", ["before", "phase1", "after"])
def test_sends_go_through_the_queue_after_a_probe(run: Run, world: Any, wiring: str) -> None:
    async def main() -> None:
        bridge = world.bridge(wiring)
        finished = world.finished(bridge)
        await bridge.start()
        await bridge.orchestrator.send_text("anna", "one")
        await bridge.orchestrator.send_file("anna", "two.pdf")
        assert len(finished) == 2
        await bridge.stop()

    run(main())
    ports = ["activate", "click", "type_text", "click", "click", "type_text", "click", "capture"]
    short = ["activate", "click", "type_text", "key", "capture"]
    assert world.desktop.names == ["login_state", *ports, "login_state", *short]


def test_nobody_logged_in_is_refused_before_the_queue(run: Run, world: Any) -> None:
    world.desktop.state = "qr"

    async def main() -> None:
        bridge = world.bridge()
        with pytest.raises(BridgeError) as caught:
            await bridge.orchestrator.send_text("anna", "one")
        assert caught.value.code == Code.NOT_LOGGED_IN
        assert bridge.status()["send_queue_pending"] == 0

    run(main())


@pytest.mark.spec("UI-Q7")
def test_the_wait_is_the_tables_and_the_caller_may_hang_up(run: Run, world: Any) -> None:
    async def main() -> None:
        bridge = world.bridge()  # not started: nothing will run
        answers: list[Any] = []
        with pytest.raises(BridgeError) as caught:
            await bridge.orchestrator.send_text("anna", "one", on_submit=answers.append)
        assert caught.value.code == Code.TIMEOUT
        assert asyncio.get_running_loop().time() == pytest.approx(15.1)
        send = asyncio.ensure_future(
            bridge.orchestrator.send_text("anna", "two", on_submit=answers.append)
        )
        await asyncio.sleep(1)
        assert bridge.status()["send_queue_pending"] == 1
        answers[1].cancel()
        with pytest.raises(asyncio.CancelledError):
            await send
        assert bridge.status()["send_queue_pending"] == 0

    run(main())
