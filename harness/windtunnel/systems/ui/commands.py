"""The commands that an action runs: the documents' flow, or what `given` puts in its place."""

from __future__ import annotations

from windtunnel.services.flows import Command, flow
from windtunnel.systems.ui.given import ActionGiven, Given


def commands_of(given: Given, action: str) -> tuple[Command, ...]:
    """Return the commands of an action in order; empty where one sleep stands for them."""
    own = given.actions.get(action, ActionGiven())
    if own.duration is not None:
        return ()
    if own.commands is None:
        return flow(action)
    return tuple(Command(name, latency) for step in own.commands for name, latency in step.items())
