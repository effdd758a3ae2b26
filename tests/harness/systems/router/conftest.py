"""A router in a simulated world, played by hand."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from windtunnel.canonical import check_event
from windtunnel.systems.base import NoArgs, Operation, Setup
from windtunnel.systems.router import RouterSystem
from windtunnel.systems.router.calls import CALLS
from windtunnel.systems.router.given import Given
from windtunnel.systems.router.policy import Policy
from windtunnel.systems.router.submits import SubmitOptions, TaskArgs
from windtunnel.systems.router.under_test import RouterUnderTest
from windtunnel.trace import Event
from windtunnel.world import Fault, RunEnd, WorldSpec
from windtunnel_models.world import SimWorld


def submit(id: str, **args: Any) -> Operation:  # noqa: A002 - its field
    """Make a submission of a task."""
    return Operation(id, "submit", "task", TaskArgs(**args) if args else None, SubmitOptions())


def call(id: str, name: str, **args: Any) -> Operation:  # noqa: A002 - its field
    """Make a call."""
    return Operation(id, "call", name, CALLS[name](**args), NoArgs())


@dataclass
class Bench:
    """A system under test in a world of its own."""

    world: SimWorld
    setup: Setup
    end: RunEnd | None = None
    faults: list[Fault] = field(default_factory=list)

    def fault(self, do: str, **args: Any) -> Fault:
        """Bring a fault about now."""
        fault = Fault(f"fault-{len(self.faults)}", do, args)
        self.faults.append(fault)
        self.world.inject(fault)
        return fault

    def play(self, main: Callable[[RouterUnderTest], Awaitable[None]]) -> list[Event]:
        """Build and start the system, run `main`, stop it; every event obeys the table of kinds."""

        async def run() -> None:
            system = RouterSystem().build(self.setup)
            await system.start()
            await main(system)
            self.world.trace.close()
            await system.stop()

        self.end = self.world.run(run)
        assert self.end.reason == "finished", self.end
        for event in self.world.trace:
            check_event(event)
        return list(self.world.trace)


@dataclass(frozen=True)
class Kit:
    """What the tests of this folder make things with."""

    submit: Callable[..., Operation] = submit
    call: Callable[..., Operation] = call

    def bench(self, given: Mapping[str, Any] | None = None, **said: Any) -> Bench:
        """Make a bench; `scheduler`, `checks`, `policy` and `seed` as in `Setup`."""
        model = Given.model_validate(given or {})
        world = SimWorld(WorldSpec(given=model.model_dump(), parts=RouterSystem.parts))
        plain: dict[str, Any] = {"policy": Policy(), "scheduler": None, "planned": ()}
        return Bench(world, Setup(world=world, given=model, **(plain | said)))


@pytest.fixture
def kit() -> Kit:
    """Give the makers."""
    return Kit()
