"""The faults of a run: brought about by the world when the agenda says so, undone at the end.

Imports asyncio, the world's protocol and the cells.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Literal

from windtunnel.errors import FaultError, WindtunnelError
from windtunnel.scenario.cells import FaultEntry
from windtunnel.scenario.playing.agenda import Agenda, Rank
from windtunnel.world import World

Do = Literal["inject", "undo"]


class NotBroughtAboutError(FaultError):
    """A fault could not be brought about: the scenario asks for what cannot be here."""


class Faults:
    """The faults that are on, in one world.

    `over(error)` is called once for each fault that needs nothing more of the run: it is on for
    good, or undone; with the error when that could not be done.
    """

    def __init__(
        self, world: World, agenda: Agenda, over: Callable[[BaseException | None], None]
    ) -> None:
        self._world = world
        self._agenda = agenda
        self._over = over
        self._on: dict[str, tuple[FaultEntry, asyncio.Future[None]]] = {}
        self._ending: dict[str, tuple[FaultEntry, asyncio.Future[None]]] = {}

    def begin(self, entry: FaultEntry, place: int) -> None:
        """Bring a fault about now; when it is on, plan its end if it has one."""
        done = self._do("inject", entry)
        self._on[entry.fault.id] = (entry, done)
        done.add_done_callback(partial(self._begun, entry, place))

    def undo_all(self) -> list[tuple[FaultEntry, asyncio.Future[None]]]:
        """Take back what is on, at this call where the world can; see `verified`."""
        undoing = list(self._ending.values())
        for entry, injected in reversed(self._on.values()):
            injected.cancel()  # no effect on what is on
            undoing.append((entry, self._do("undo", entry)))
        self._on.clear()
        return undoing

    def _begun(self, entry: FaultEntry, place: int, done: asyncio.Future[None]) -> None:
        if entry.lasts is None or done.cancelled() or done.exception() is not None:
            self._closed("inject", entry, done)
            return
        end = self._agenda.now() + entry.lasts
        self._agenda.add(end, Rank.UNDO, place, 0, partial(self._end, entry))

    def _end(self, entry: FaultEntry) -> None:
        self._on.pop(entry.fault.id, None)
        undone = self._do("undo", entry)
        self._ending[entry.fault.id] = (entry, undone)
        undone.add_done_callback(partial(self._closed, "undo", entry))

    def _do(self, what: Do, entry: FaultEntry) -> asyncio.Future[None]:
        call = self._world.inject if what == "inject" else self._world.undo
        done: asyncio.Future[None]
        try:
            done = asyncio.ensure_future(call(entry.fault))
        except Exception as error:  # noqa: BLE001 - told by the future, as if it had come later
            done = _failed(error)
        except BaseExceptionGroup as error:  # the world's own slip, and no reason to go on for ever
            done = _failed(FaultError(f"{what}: {error!r}"))
        self._agenda.block(done)
        return done

    def _closed(self, what: Do, entry: FaultEntry, done: asyncio.Future[None]) -> None:
        self._ending.pop(entry.fault.id, None)
        if not done.cancelled():
            self._over(explained(what, entry, done.exception()))


def _failed(error: Exception) -> asyncio.Future[None]:
    done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    done.set_exception(error)
    return done


async def verified(undoing: list[tuple[FaultEntry, asyncio.Future[None]]]) -> None:
    """Wait until every fault is taken back; raises for the first that stays on."""
    first: BaseException | None = None
    for entry, undone in undoing:
        try:
            await undone
        except Exception as error:  # noqa: BLE001 - the others are taken back first
            first = first or explained("undo", entry, error)
    if first is not None:
        raise first


def explained(what: Do, entry: FaultEntry, error: BaseException | None) -> BaseException | None:
    """Return the error with the fault's name and line; one that is no refusal stays as it is."""
    if not isinstance(error, WindtunnelError):
        return error
    kind = NotBroughtAboutError if what == "inject" else FaultError
    text = "" if what == "inject" else "could not be undone: "
    explanation = kind(f"fault `{entry.fault.id}` (line {entry.line}): {text}{error}")
    explanation.__cause__ = error
    return explanation
