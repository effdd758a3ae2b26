"""The names of commands that a scenario may give a latency or a fault: of the flows, of the ports.

Imports the table of flows.
"""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import AfterValidator, WithJsonSchema

from windtunnel.services.bridge.flows.flows import FLOWS
from windtunnel.systems.ui.known import known

PORT_COMMANDS: Final = (
    *("activate", "click", "key", "type_text", "paste_text", "capture", "login_state"),
    *("wait_window", "hold"),
    *("find", "terminate", "kill", "start", "wait_exit", "run"),
)
"""The commands of the ports `Desktop` and `Processes`, by their methods' names."""
FLOW_COMMANDS: Final = tuple(dict.fromkeys(step.name for flow in FLOWS.values() for step in flow))
"""What the flows call their commands (UI-F1), each once."""
COMMANDS: Final = tuple(dict.fromkeys((*FLOW_COMMANDS, *PORT_COMMANDS)))


def known_command(name: str) -> str:
    """Return the name; raises `ValueError` with the close one for a name that no command has."""
    return known(name, COMMANDS, "no flow and no port has a command")


KnownCommand = Annotated[
    str,
    AfterValidator(known_command),
    WithJsonSchema({"type": "string", "enum": sorted(COMMANDS)}),
]
"""The name of a command of a flow (`click_search`) or of a port (`click`: all clicks)."""
