"""The router under test, alive in a world: both programs, the owner of the tasks, their places.

Imports what it is made of.
"""

from __future__ import annotations

from collections.abc import Awaitable, Coroutine, Mapping
from typing import Any, Final

from windtunnel.errors import PluginError, RequirementError
from windtunnel.systems.base import Operation, Setup
from windtunnel.systems.router.calling import Calling
from windtunnel.systems.router.observables import observed
from windtunnel.systems.router.owner import Owner
from windtunnel.systems.router.places import Places
from windtunnel.systems.router.policy import options_of
from windtunnel.systems.router.programs import Programs
from windtunnel.systems.router.readiness import ready
from windtunnel.systems.router.submits import task_of

OBSERVING: Final = frozenset({"equals", "invariant"})
"""Checks that read what is observed; Prometheus samples are taken for them alone."""


class RouterUnderTest:
    """Backend and dispatcher between the hosts of a world and the timeline.

    Raises `PluginError` where the world has no hosts, `RequirementError` for a foreign scheduler.
    """

    def __init__(self, setup: Setup) -> None:
        if setup.scheduler is not None:
            raise RequirementError(f"the router takes no scheduler, such as {setup.scheduler}")
        world = setup.world
        if world.ports.hosts is None:
            raise PluginError(f"the world {world.name} has no hosts for a backend and a dispatcher")
        self._hosts = world.ports.hosts
        self._online = setup.given.online
        self._routed = setup.given.router.enabled
        self._observed = bool(setup.checks & OBSERVING)
        self._owner = Owner(world.trace)
        self._places = Places(world.trace, self._owner.settle)
        self._programs = Programs(
            setup.given, options_of(setup.policy), setup.seed, world.trace, self._owner
        )
        self._calling = Calling(world.trace, self._programs, self._owner)

    async def start(self) -> None:
        """Start both programs; returns when they know one another, or after 5 s.

        Where nothing is routed they never do, and the timeline begins at once (RT-S6).
        """
        self._places.watch(self._hosts)
        self._programs.start(self._hosts)
        if self._routed:
            await ready(self._programs, self._online)

    async def stop(self) -> None:
        """Stop both programs."""
        await self._programs.stop(self._hosts)

    def submit(self, operation: Operation) -> Awaitable[None]:
        """Have the owner hand a task over now; done when it is over and the owner was told."""
        return self._owner.submit(task_of(operation.id, operation.args))

    def call(self, operation: Operation) -> Coroutine[Any, Any, None]:
        """Call one of the programs; its end is recorded as `call.ended`."""
        return self._calling.make(operation)

    def observe(self) -> Mapping[str, Any]:
        """Return the observable values by name (`observables`)."""
        return observed(self._places, self._programs, with_samples=self._observed)
