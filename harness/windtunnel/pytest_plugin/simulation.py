"""One coroutine in simulated time, with a deadline; what it returns and raises is its caller's.

Imports the worlds' and the systems' contracts; the simulated world comes by name.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from windtunnel import units
from windtunnel.builtin import load_plugin
from windtunnel.errors import WindtunnelError
from windtunnel.scenario.systems import load_system
from windtunnel.world import EndReason, Limits, RunEnd, World, WorldSpec

T = TypeVar("T")
Main = Coroutine[Any, Any, T] | Callable[[World], Coroutine[Any, Any, T]]
"""What is run: a coroutine, or a function that makes one of the world it runs in."""
_PASSED_ON = (asyncio.CancelledError, KeyboardInterrupt, SystemExit, GeneratorExit)
"""What ends the loop, or comes from its end: it is the world's to understand."""


class SimulationError(WindtunnelError):
    """A coroutine did not come to an end of its own.

    `reason` is `deadlock` (the message says who waits for what), `limit` (the deadline, or real
    time) or `error` (a busy spin, a thread, an exception in the background that nobody retrieved).
    """

    def __init__(self, reason: EndReason, message: str) -> None:
        super().__init__(reason, message)
        self.reason: EndReason = reason
        self.message = message

    def __str__(self) -> str:
        """Return `reason: message`."""
        return f"{self.reason}: {self.message}"


@dataclass(slots=True)
class _Outcome(Generic[T]):
    """How the coroutine itself ended, as long as it has."""

    result: T | None = None
    error: BaseException | None = None
    ended: bool = False


def simulate(main: Main[T], spec: WorldSpec) -> T:
    """Run `main` in a simulated world and return its result.

    Raises what it raises; `SimulationError` when it comes to no end, or when something failed in
    the background; TypeError when it is neither a coroutine nor a function that makes one.
    """
    __tracebackhide__ = True
    world: World = load_plugin("worlds", "sim")(spec)
    coroutine = main if isinstance(main, Coroutine) else main(world)
    if not isinstance(coroutine, Coroutine):
        raise TypeError(f"a coroutine, or a function of the world that makes one, not {main!r}")
    outcome: _Outcome[T] = _Outcome()
    try:
        end = world.run(lambda: _follow(coroutine, outcome))
    finally:
        if inspect.getcoroutinestate(coroutine) == inspect.CORO_CREATED:
            coroutine.close()  # the world ended before it began
    return _answer(outcome, end)


def spec_of(
    *, seed: int, deadline: str, wall: str, given: Mapping[str, Any] | None, system: str
) -> WorldSpec:
    """Return the world's spec; `given` is what a scenario of that system may say under `given`.

    Raises `UnitError` for a bare number or a wrong unit, and pydantic's ValidationError for a
    `given` that is wrong.
    """
    limits = Limits(sim=units.parse_duration(deadline), wall=units.parse_duration(wall))
    typed = load_system(system).given.model_validate(given or {})
    return WorldSpec(seed=seed, limits=limits, given=typed.model_dump())


async def _follow(coroutine: Coroutine[Any, Any, T], outcome: _Outcome[T]) -> None:
    try:
        # A task of its own, so that a deadlock names it: the world's own waits for all others.
        outcome.result = await asyncio.create_task(coroutine)
    except _PASSED_ON:
        raise
    except BaseException as error:  # noqa: BLE001 - a test's `pytest.fail` and `skip` are such
        outcome.error = error
    outcome.ended = True


def _answer(outcome: _Outcome[T], end: RunEnd) -> T:
    __tracebackhide__ = True
    wrong = end.reason != "finished"
    if outcome.error is not None:
        if wrong:
            outcome.error.add_note(f"the run ended with {end.reason}: {end.message}")
        raise outcome.error
    if wrong or not outcome.ended:
        raise SimulationError(end.reason, end.message or "the coroutine was cancelled")
    return outcome.result  # type: ignore[return-value]  # it has ended, so it is there
