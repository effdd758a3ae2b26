"""The reading of messages: what is broken is told before anything is done about it (RT-W6).

Imports the wire's messages and the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from windtunnel.services.dispatcher.run import Result, Run
from windtunnel.services.wire import messages

T = TypeVar("T")

Said = tuple[str, Run | None]
"""An instance, and which run it says it has."""


class BrokenMessageError(ValueError):
    """A message lacks what its type needs, or has it in another form."""


def opened(message: object) -> tuple[str, Mapping[str, Any]]:
    """Return a message's type and data."""
    if not isinstance(message, Mapping):
        raise BrokenMessageError("a message is an object")
    data = message.get("data", {})
    if not isinstance(data, Mapping):
        raise BrokenMessageError("`data` must be an object")
    return needed(message, "type", str), data


def needed(data: Mapping[str, Any], name: str, type_: type[T]) -> T:
    """Return a field that must be there, of that type; a text may not be empty."""
    value = data.get(name)
    if not isinstance(value, type_) or value == "" or isinstance(value, bool):
        raise BrokenMessageError(f"`{name}` must be {type_.__name__}")
    return value


def said_by(data: Mapping[str, Any]) -> list[Said]:
    """Return what JOIN or ALIVE says of each instance."""
    return [_said(instance) for instance in needed(data, "instances", list)]


def result_in(type_: str, data: Mapping[str, Any], bridge: str) -> Result:
    """Return what DONE or FAILED says."""
    run = Run(needed(data, "taskId", str), needed(data, "attempt", int))
    ok = type_ == messages.DONE
    return Result(
        run,
        needed(data, "instanceId", str),
        bridge,
        ok,
        data.get("result"),
        "" if ok else str(data.get("error", "unknown")),
    )


def _said(instance: object) -> Said:
    if not isinstance(instance, Mapping):
        raise BrokenMessageError("an instance is an object")
    id_ = needed(instance, "instanceId", str)
    if instance.get("taskId") is None:
        return id_, None
    return id_, Run(needed(instance, "taskId", str), needed(instance, "attempt", int))
