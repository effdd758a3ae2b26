"""The calls: what a scenario may call of backend and dispatcher → model of its arguments.

Imports `windtunnel.fields` and the base of a vocabulary.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from pydantic import BaseModel

from windtunnel.fields import OneOpRef
from windtunnel.systems.base import NoArgs, Vocabulary


class OfTask(Vocabulary):
    """Which task: the id of a submission, `ID` or `ID.N`."""

    task: OneOpRef


CALLS: Final[Mapping[str, type[BaseModel]]] = MappingProxyType(
    {
        "backend.health": NoArgs,
        "backend.refresh_token": NoArgs,
        "backend.submit_again": OfTask,
        "backend.query": OfTask,
        "dispatcher.health": NoArgs,
        "dispatcher.overview": NoArgs,
    }
)
"""Call → model of its `args`."""
