"""The ports: what a service may ask of a world.

Each is a Protocol with an implementation in every world. Calls are asynchronous, time-outs are in
seconds, and each says which errors it raises. A port takes no lock: the UI lock L1 belongs to the
bridge. A world that cannot offer a port leaves it None in `Ports`. Imports `windtunnel.errors`.
"""

from __future__ import annotations

from dataclasses import dataclass

from windtunnel.ports.desktop import (
    COMMAND_BOUND_S,
    Desktop,
    Frame,
    LoginState,
    Region,
    WindowInfo,
)
from windtunnel.ports.hosts import Hosts
from windtunnel.ports.processes import Processes, ProcessSpec, Program
from windtunnel.ports.records import Message, Records

__all__ = [
    "COMMAND_BOUND_S",
    "Desktop",
    "Frame",
    "Hosts",
    "LoginState",
    "Message",
    "Ports",
    "ProcessSpec",
    "Processes",
    "Program",
    "Records",
    "Region",
    "WindowInfo",
]


@dataclass(frozen=True, slots=True)
class Ports:
    """The ports of a world; None where it has none."""

    desktop: Desktop | None = None
    processes: Processes | None = None
    records: Records | None = None
    hosts: Hosts | None = None
