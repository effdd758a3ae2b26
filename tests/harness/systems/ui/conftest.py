"""A UI system in a simulated world, played by hand; and the way to somebody else's class."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from windtunnel.canonical import check_event
from windtunnel.systems.base import NoArgs, Operation, Setup
from windtunnel.systems.ui import UISystem
from windtunnel.systems.ui.bridge import BridgeUnderTest
from windtunnel.systems.ui.calls import CALLS
from windtunnel.systems.ui.given import Given, Policy, SubmitOptions
from windtunnel.systems.ui.plug import PluggedScheduler
from windtunnel.systems.ui.submits import SUBMITS
from windtunnel.trace import Event
from windtunnel.world import RunEnd, Ties, WorldSpec
from windtunnel_models.world import SimWorld

FOREIGN = Path(__file__).parents[3] / "foreign"
ARGS: Mapping[str, Any] = {"to": "ann", "text": "hello", "file": "a.txt", "remark": "Annie"}


def submit(id: str, name: str = "send_text", **said: Any) -> Operation:  # noqa: A002 - its field
    """Make a submission; `args` are those that the class needs, unless given."""
    model = SUBMITS[name]
    args = said.pop("args", {key: ARGS[key] for key in model.model_fields})
    return Operation(id, "submit", name, model(**args), SubmitOptions(**said))


def call(id: str, name: str, **args: Any) -> Operation:  # noqa: A002 - its field
    """Make a call; the arguments of a route are those that it needs, unless given."""
    model = CALLS[name]
    if name.startswith(("route.", "orchestrator.")):
        args = {key: ARGS[key] for key in model.model_fields} | args
    return Operation(id, "call", name, model(**args), NoArgs())


@dataclass
class Bench:
    """A system under test in a world of its own."""

    world: SimWorld
    setup: Setup
    plugged: PluggedScheduler | None = None
    """In the place of the scheduler that the setup names."""
    end: RunEnd | None = None

    def build(self) -> BridgeUnderTest:
        """Build the system."""
        if self.plugged is not None:
            return BridgeUnderTest(self.setup, self.plugged)
        return UISystem().build(self.setup)

    def play(self, main: Callable[[BridgeUnderTest], Awaitable[None]]) -> list[Event]:
        """Build and start the system, run `main`, stop it; every event obeys the table of kinds.

        What the bridge does by itself as it starts is left out of what is returned.
        """

        async def run() -> None:
            system = self.build()
            await system.start()
            await main(system)
            self.world.trace.close()
            await system.stop()

        self.end = self.world.run(run)
        assert self.end.reason == "finished", self.end
        for event in self.world.trace:
            check_event(event)
        begun = [event.seq for event in self.world.trace.of("watchers.started")]
        return list(self.world.trace)[begun[0] + 1 :]


@dataclass(frozen=True)
class Kit:
    """What the tests of this folder make things with."""

    submit: Callable[..., Operation] = submit
    call: Callable[..., Operation] = call

    def bench(self, given: Mapping[str, Any] | None = None, **said: Any) -> Bench:
        """Make a bench; `scheduler`, `planned`, `checks` and `gate` as in `Setup`.

        `plugged` is a class of the test's own in the scheduler's place, `ties` is the world's.
        """
        own = said.pop("plugged", None)
        plugged = None if own is None else PluggedScheduler(own, {})
        model = Given(**(given or {}))
        ties = said.pop("ties", Ties())
        world = SimWorld(WorldSpec(given=model.model_dump(), ties=ties))
        plain: dict[str, Any] = {"policy": Policy(), "scheduler": None, "planned": ()}
        return Bench(world, Setup(world=world, given=model, **(plain | said)), plugged)


@pytest.fixture
def kit(monkeypatch: pytest.MonkeyPatch) -> Kit:
    """Give the makers, with `tests/foreign` on the path of imports."""
    monkeypatch.syspath_prepend(str(FOREIGN))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return Kit()
