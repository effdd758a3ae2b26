"""Accesses: the table covers every command of every flow, and the display reports just that."""

from __future__ import annotations

import asyncio

import pytest

from windtunnel.services.flows import FLOWS
from windtunnel.trace import Trace
from windtunnel_models import run as run_simulated
from windtunnel_models.access import COMMAND_ACCESSES, AccessLog, Mode, accesses_of
from windtunnel_models.display import SimDisplay

COMMANDS = sorted({name for flow in FLOWS.values() for name in flow})


def test_every_command_of_every_flow_is_in_the_table() -> None:
    assert [name for name in COMMANDS if name not in COMMAND_ACCESSES] == []


def test_nothing_is_in_the_table_that_no_flow_does() -> None:
    assert sorted(COMMAND_ACCESSES) == COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_reports_what_the_table_says(command: str) -> None:
    assert reported(command) == [
        ("display", "write"),
        *((f"display.{part}", mode) for part, mode in COMMAND_ACCESSES[command].items()),
    ]


def test_a_command_of_a_users_own_is_a_click() -> None:
    assert accesses_of("click_somewhere") == {"pointer": "write", "focus": "write"}


def test_every_click_moves_the_pointer_and_every_key_goes_to_the_focus() -> None:
    for command, accesses in COMMAND_ACCESSES.items():
        if command.startswith("click_"):
            assert accesses["pointer"] == accesses["focus"] == "write", command
        if command.startswith(("type_", "key_")):
            assert (accesses["focus"], accesses["keys"]) == ("read", "write"), command


def test_nobody_listens_by_default() -> None:
    log = AccessLog()
    assert log.listener is None
    log.report("display", "write")


def reported(command: str) -> list[tuple[str, Mode]]:
    log = AccessLog()
    seen: list[tuple[str, Mode]] = []
    log.listener = lambda resource, mode: seen.append((resource, mode))

    async def main() -> None:
        clock = asyncio.get_running_loop().time
        await SimDisplay(Trace(lambda: round(clock() * 1e9)), log).perform(command, 1)

    run_simulated(main())
    return seen
