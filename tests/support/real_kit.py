"""A real desktop to play on: a world on a display of its own, and what is behind its ports."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from windtunnel.acting import Acting, acting
from windtunnel.canonical import check_event
from windtunnel.world import Limits, RunEnd, WorldOptions, WorldSpec
from windtunnel_real.machine.machine import RealMachine
from windtunnel_real.world import RealWorld

Body = Callable[[RealWorld], Coroutine[Any, Any, None]]
NO_FRAMES = WorldOptions(frames="none")


def machine_of(world: RealWorld) -> RealMachine:
    """Return the machine of a world that runs."""
    machine = world.machine
    assert machine is not None, "it runs"
    return machine


def play_on_a_display(
    body: Body,
    *,
    options: WorldOptions = NO_FRAMES,
    latencies: dict[str, Any] | None = None,
    limits: Limits | None = None,
    ends: str = "finished",
    **wechat: Any,
) -> RealWorld:
    """Run `body(world)` to its end on a display of its own; every event obeys the table of kinds.

    `wechat` is what is given; what fails in the body fails here.
    """
    given = {"wechat": {"autostart": None, **wechat}, "latencies": latencies or {}}
    world = RealWorld(WorldSpec(given=given, limits=limits or Limits(), options=options))
    failed: list[BaseException] = []

    async def main() -> None:
        acting.set(Acting("op", "send_text"))
        try:
            await body(world)
        except AssertionError as error:
            failed.append(error)

    end: RunEnd = world.run(main)
    if failed:
        raise failed[0]
    assert end.reason == ends, end
    for event in world.trace:
        check_event(event)
    return world
