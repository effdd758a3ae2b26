"""Events: SimPy's own, made by the loop's environment, that asyncio code may `await`.

Imports simpy. Events made elsewhere (a resource's request, a store's get) are awaited through
`loop.as_future(event)`.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import TYPE_CHECKING, Any

import simpy
from simpy.events import NORMAL, Condition

if TYPE_CHECKING:
    from windtunnel_models.loop.environment import SimEnvironment


def _await(event: simpy.Event) -> Generator[Any, None, Any]:
    """Wait, in the running task, for the event; its value, or its failure raised.

    A cancelled task stops waiting and leaves the event, and a process, alone.
    """
    env: SimEnvironment = event.env  # type: ignore[assignment]
    return env.loop.as_future(event).__await__()


def _both(event: simpy.Event, other: simpy.Event) -> AwaitableCondition:
    return AwaitableCondition(event.env, Condition.all_events, [event, other])


def _either(event: simpy.Event, other: simpy.Event) -> AwaitableCondition:
    return AwaitableCondition(event.env, Condition.any_events, [event, other])


class AwaitableEvent(simpy.Event):
    """`simpy.Event` that can be awaited."""

    __await__ = _await
    __and__ = _both
    __or__ = _either


class AwaitableProcess(simpy.Process):
    """`simpy.Process` that can be awaited; the environment knows it, for reports of deadlocks."""

    __await__ = _await
    __and__ = _both
    __or__ = _either

    def __init__(self, env: SimEnvironment, generator: simpy.events.ProcessGenerator) -> None:
        super().__init__(env, generator)
        env.processes.add(self)


class AwaitableCondition(Condition):
    """`simpy.events.Condition` that can be awaited."""

    __await__ = _await
    __and__ = _both
    __or__ = _either


class AwaitableAllOf(simpy.AllOf):
    """`simpy.AllOf` that can be awaited."""

    __await__ = _await
    __and__ = _both
    __or__ = _either


class AwaitableAnyOf(simpy.AnyOf):
    """`simpy.AnyOf` that can be awaited."""

    __await__ = _await
    __and__ = _both
    __or__ = _either


class AwaitableTimeout(simpy.Timeout):
    """`simpy.Timeout` that can be awaited; its delay is a whole number of nanoseconds."""

    __await__ = _await
    __and__ = _both
    __or__ = _either

    def __init__(self, env: SimEnvironment, delay: int = 0, value: object = None) -> None:
        # SimPy compares the delay with 0 before the environment sees it: a text would give an
        # error that names nobody.
        if delay.__class__ is not int:
            env.refuse(delay)
        if delay < 0:
            raise ValueError(f"Negative delay {delay}")
        self.env = env
        self.callbacks = []
        self._value = value
        self._delay = delay
        self._ok = True
        env.schedule(self, NORMAL, delay)
