"""The flows that `given.actions` puts in the place of the documents': one sleep, or held commands.

Imports `given`, who acts, and the bridge's flows.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

from windtunnel import units
from windtunnel.acting import acting
from windtunnel.services.bridge.flows.backend import Backend
from windtunnel.services.bridge.flows.flow_runner import Args, OwnFlow, enter_command
from windtunnel.systems.ui.given import Given


def given_flows(given: Given) -> dict[str, OwnFlow]:
    """Return action → the flow that stands for the documents'."""
    return dict(_flows(given))


def _flows(given: Given) -> Iterator[tuple[str, OwnFlow]]:
    for name, action in given.actions.items():
        if action.duration is not None:
            yield name, _sleeping(units.to_seconds(action.duration))
        elif action.commands is not None:
            held = tuple(
                (command, units.to_seconds(latency))
                for step in action.commands
                for command, latency in step.items()
            )
            yield name, _holding(held)


def _sleeping(seconds: float) -> OwnFlow:
    async def sleep(backend: Backend, args: Args) -> None:
        del backend, args
        await asyncio.sleep(seconds)

    return sleep


def _holding(commands: tuple[tuple[str, float], ...]) -> OwnFlow:
    async def hold(backend: Backend, args: Args) -> None:
        del args
        who = acting.get()
        for name, seconds in commands:
            await enter_command(who, name)
            await backend.hold(seconds)

    return hold
