"""The submissions: the class `task`, the model of its arguments, and the task that they make.

Imports the wire form of a task, `windtunnel.fields` and the base of a vocabulary.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from pydantic import BaseModel, Field, JsonValue

from windtunnel import units
from windtunnel.fields import Duration
from windtunnel.services.wire.task import PREFERRED, RUNNINGHUB, WORK, Task
from windtunnel.systems.base import Vocabulary
from windtunnel.systems.router.host_names import InstanceName


class TaskArgs(Vocabulary):
    """A task: what is to be done, and how long an instance of normal speed works on it."""

    work: Duration = units.SECOND
    workflow: str = "w"
    nodes: list[JsonValue] = Field(default_factory=list)
    preferred: InstanceName | None = None
    """The instance that gets it, if it is free (RT-D2)."""
    platform: str = Field(default=RUNNINGHUB, min_length=1)
    """Tasks of other platforms are not routed (RT-S6)."""
    body: dict[str, JsonValue] = Field(default_factory=dict)
    """Further fields of its body, or others in place of those above."""


class SubmitOptions(Vocabulary):
    """What a `submit` entry may say beside the timeline's fields: nothing."""


TASK: Final = "task"
SUBMITS: Final[Mapping[str, type[BaseModel]]] = MappingProxyType({TASK: TaskArgs})
"""Class of operation → model of its `args`."""
_PLAIN: Final = TaskArgs()


def task_of(id_: str, args: TaskArgs | None) -> Task:
    """Return the task that an operation hands over; None: with the defaults."""
    said = _PLAIN if args is None else args
    body: dict[str, JsonValue] = {
        "workflow_id": said.workflow,
        "node_info_list": said.nodes,
        WORK: said.work,
    }
    if said.preferred is not None:
        body[PREFERRED] = said.preferred
    return Task(id_, body | said.body, said.platform)
