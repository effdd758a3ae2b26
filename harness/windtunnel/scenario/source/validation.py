"""Validation: data of a node against a model, with every mistake at its place in the file.

Imports pydantic, `messages` and `yaml_nodes`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ValidationError

from windtunnel.scenario.source.messages import Location, Mistake, mistakes
from windtunnel.scenario.source.yaml_nodes import Fault, Node

T = TypeVar("T")
M = TypeVar("M", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Typed(Generic[T]):
    """A value, or None with the faults that say why."""

    value: T | None
    faults: tuple[Fault, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether there is a value to go on with."""
        return self.value is not None and not self.faults


def validated(
    model: type[M],
    data: Any,  # noqa: ANN401 - plain data
    node: Node,
    *,
    context: Any = None,  # noqa: ANN401 - a `Names`, or nothing
    known: tuple[str, ...] = (),
) -> Typed[M]:
    """Return an instance of a model, or what is wrong with the data at the places in the node."""
    try:
        return Typed(model.model_validate(data, context=context))
    except ValidationError as error:
        return Typed(None, faults_of(error, model, node, known))


def locate(node: Node, where: Location, *, at_key: bool = False) -> tuple[int, int, Node]:
    """Return line, column and the deepest node that a location in the data leads to.

    Parts that are not in the file (the tags of a union, what a reference brought in) are passed
    over; `at_key` asks for the place of the last key instead of its value's.
    """
    line, column = node.place()
    for part in where:
        child = node.child(part)
        if child is None:
            continue
        key = node.keys.get(part) if isinstance(part, str) else None
        line, column = key if at_key and key and part == where[-1] else child.place()
        node = child
    return line, column, node


def fault_at(node: Node, mistake: Mistake) -> Fault:
    """Return a mistake at its place; one in a replaced text names the reference."""
    line, column, found = locate(node, mistake.where, at_key=mistake.at_key)
    through = ""
    if found.refers and isinstance(found.value, str):
        through = f" (from `{found.value[:60]}`)"
    return Fault(line, column, f"{mistake.message}{through}", found.file)


def faults_of(
    error: ValidationError, model: type[BaseModel], node: Node, known: tuple[str, ...] = ()
) -> tuple[Fault, ...]:
    """Return what pydantic found wrong, at the places in a node; one fault per place in a union."""
    said: dict[Fault, list[str]] = {}
    of_a_union: set[Fault] = set()
    for mistake in mistakes(error, model, known):
        fault = fault_at(node, mistake)
        place = fault._replace(message="")
        messages = said.setdefault(place, [])
        if fault.message not in messages:
            messages.append(fault.message)
        if _names_an_arm(node, mistake.where):
            of_a_union.add(place)
    return tuple(
        place._replace(message=message)
        for place, messages in said.items()
        for message in (["; or ".join(messages)] if place in of_a_union else messages)
    )


def _names_an_arm(node: Node, where: Location) -> bool:
    """Tell whether a location names the arm of a union, which is nothing in the file."""
    for part in where:
        child = node.child(part)
        if child is None:
            return isinstance(part, str) and not (node.refers and node.children is None)
        node = child
    return False
