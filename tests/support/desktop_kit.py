"""A desktop to play on: a simulated world with one, the machine inside it, a bare window."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

from windtunnel.acting import Acting, acting
from windtunnel.canonical import check_event
from windtunnel.trace import Trace
from windtunnel.wechat.database import Database
from windtunnel.wechat.screen import Screen
from windtunnel.wechat.surface import Surface
from windtunnel.world import WorldSpec
from windtunnel_models.access import AccessLog
from windtunnel_models.machine.machine import Machine
from windtunnel_models.machine.part import DesktopPart
from windtunnel_models.profile import Profile
from windtunnel_models.world import SimWorld

Body = Callable[[SimWorld], Coroutine[Any, Any, None]]


def machine_of(world: SimWorld) -> Machine:
    """Return the machine of a world that has one."""
    part = world.parts["desktop"]
    assert isinstance(part, DesktopPart)
    return part.machine


def play_on_a_desktop(
    body: Body,
    *,
    seed: int = 0,
    latencies: dict[str, Any] | None = None,
    profile: Profile | None = None,
    **wechat: Any,
) -> SimWorld:
    """Run `body(world)` to its end on a world of its own; every event obeys the table of kinds."""
    given = {"wechat": wechat, "latencies": latencies or {}}
    world = SimWorld(WorldSpec(seed=seed, given=given), profile)

    async def main() -> None:
        acting.set(Acting("op", "send_text"))
        await body(world)

    end = world.run(main)
    assert end.reason == "finished", end
    for event in world.trace:
        check_event(event)
    return world


class Sheet:
    """A surface with a window on it and nothing behind it: no time passes here."""

    def __init__(self) -> None:
        log = AccessLog()
        self.trace = Trace(lambda: 0)
        self.screen = Screen(log, window=True, raised=True, login="logged_in")
        self.database = Database(log)
        self.surface = Surface(self.screen, self.database, self.trace)
        self.who = Acting("op", "send_text")

    @property
    def events(self) -> list[tuple[Any, ...]]:
        """(kind, resource, details' values) of what was recorded."""
        for event in self.trace:
            check_event(event)
        return [(event.kind, event.resource, *event.details.values()) for event in self.trace]


@contextmanager
def hear(log: AccessLog) -> Iterator[list[tuple[str, str]]]:
    """Have the accesses of a log heard: it yields the list of them."""
    heard: list[tuple[str, str]] = []
    log.listener = lambda resource, mode: heard.append((resource, mode))
    yield heard
    log.listener = None
