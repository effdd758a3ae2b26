"""Flows: the documents' commands in their order, each within the bounds of one command."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from windtunnel.services.endpoints import ENDPOINTS
from windtunnel.services.flows import FLOWS, LATENCIES, Command, flow, run_flow
from windtunnel.units import MS, SECOND

Run = Callable[[Coroutine[Any, Any, None]], None]


@pytest.mark.spec("UI-F1")
@pytest.mark.parametrize(
    ("action", "commands"),
    [
        (
            "send_text",
            "activate click_search type_query open_session focus_input type_text click_send verify",
        ),
        ("logout", "activate click_menu key_down key_down key_enter click_confirm"),
        ("restart", "kill wait_exit start wait_window"),
        ("qr_start", "activate screenshot crop"),
        ("screenshot", "screenshot"),
    ],
)
def test_the_documents_flows(action: str, commands: str) -> None:
    assert [command.name for command in flow(action)] == commands.split()


@pytest.mark.spec("UI-F1", "UI-E1")
def test_every_endpoint_has_a_flow_and_the_others_have_3_to_8_commands() -> None:
    assert FLOWS.keys() == ENDPOINTS.keys()
    others = FLOWS.keys() - {"screenshot"}
    assert all(3 <= len(FLOWS[name]) <= 8 for name in others)


@pytest.mark.spec("UI-L1")
def test_a_command_holds_the_display_for_50_ms_to_5_s() -> None:
    for action in FLOWS:
        assert all(50 * MS <= command.latency <= 5 * SECOND for command in flow(action))


@pytest.mark.spec("UI-C9")
@pytest.mark.parametrize("action", sorted(FLOWS.keys() - {"restart", "autofix", "screenshot"}))
def test_a_flow_takes_under_30_s_and_a_queued_one_at_most_5(action: str) -> None:
    total = sum(command.latency for command in flow(action))
    assert total <= (5 if ENDPOINTS[action].today == "queued" else 30) * SECOND


def test_no_latency_is_for_a_command_that_no_flow_has() -> None:
    assert LATENCIES.keys() <= {name for commands in FLOWS.values() for name in commands}


class RecordingDisplay:
    def __init__(self) -> None:
        self.log: list[tuple[str, float]] = []

    async def perform(self, command: str, seconds: float) -> None:
        self.log.append((command, seconds))
        await asyncio.sleep(seconds)


def test_commands_run_one_after_another(run: Run) -> None:
    async def main() -> None:
        display = RecordingDisplay()
        await run_flow(display, (Command("a", 50 * MS), Command("b", SECOND)))
        assert display.log == [("a", 0.05), ("b", 1.0)]
        assert asyncio.get_running_loop().time() == 1.05

    run(main())
