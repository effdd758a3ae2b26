"""The names of commands: those of the flows and of the ports, and nothing else."""

from __future__ import annotations

import re

import pytest

from windtunnel.ports import Desktop, Processes
from windtunnel.services.bridge.flows.flows import FLOWS
from windtunnel.systems.ui.command_names import (
    COMMANDS,
    FLOW_COMMANDS,
    PORT_COMMANDS,
    known_command,
)


def test_every_method_of_the_ports_that_is_a_command() -> None:
    methods = {name for port in (Desktop, Processes) for name in vars(port) if name[0] != "_"}
    assert methods - {"window"} == set(PORT_COMMANDS)  # a look-up is no command (UI-C2)


def test_every_command_of_every_flow() -> None:
    assert {step.name for flow in FLOWS.values() for step in flow} == set(FLOW_COMMANDS)
    assert set(COMMANDS) == {*FLOW_COMMANDS, *PORT_COMMANDS}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_known_name_stays(name: str) -> None:
    assert known_command(name) == name


def test_another_is_refused_with_the_close_one() -> None:
    message = "no flow and no port has a command `click_serch`; did you mean `click_search`?"
    with pytest.raises(ValueError, match=re.escape(message)):
        known_command("click_serch")
