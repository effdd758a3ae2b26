"""The classes of errors: how severe each is, and what is done about it (RT-X2).

Only the table; which class an error belongs to is decided where its type is known. Imports nothing
of the project.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final, Literal

Severity = Literal["low", "medium", "high", "critical"]
Reaction = Literal[
    "next_attempt", "requeue", "degrade_local_store", "refresh", "emergency", "degrade"
]


class ErrorKind(StrEnum):
    """What went wrong."""

    NETWORK_TIMEOUT = "network_timeout"
    INSTANCE_OFFLINE = "instance_offline"
    STORE_DOWN = "store_down"
    TOKEN = "token"  # noqa: S105 - the name of a class of errors, not a secret
    OUT_OF_MEMORY = "out_of_memory"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class ErrorClass:
    """A row of the table."""

    severity: Severity
    reaction: Reaction


ERROR_CLASSES: Final[Mapping[ErrorKind, ErrorClass]] = MappingProxyType(
    {
        ErrorKind.NETWORK_TIMEOUT: ErrorClass("low", "next_attempt"),
        ErrorKind.INSTANCE_OFFLINE: ErrorClass("medium", "requeue"),
        ErrorKind.STORE_DOWN: ErrorClass("high", "degrade_local_store"),
        ErrorKind.TOKEN: ErrorClass("medium", "refresh"),
        ErrorKind.OUT_OF_MEMORY: ErrorClass("critical", "emergency"),
        ErrorKind.UNKNOWN: ErrorClass("medium", "degrade"),
    }
)
"""`next_attempt`: a submission goes to its next level, from the inside to the outside (RT-H6 goes
before the retry of RT-X2) and from there to another round, 3 at most by default; a question, a
webhook or a connection is made again after a while. `requeue`: back to the queue.
`degrade_local_store`: degrade, and keep state locally. `refresh`: the token. `emergency`: degrade,
and take no new tasks. `degrade`: log and degrade."""
