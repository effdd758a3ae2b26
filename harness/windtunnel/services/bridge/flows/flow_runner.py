"""The flow runner: runs the flow of an action, and keeps the session cache true.

A step costs no more than its command: what it calls is looked up once per bridge. Imports
policies, flows and the backend.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from windtunnel.acting import Acting, acting
from windtunnel.errors import BridgeError, Code
from windtunnel.policies.ui.session_cache import SessionCache
from windtunnel.policies.ui.session_effects import EFFECTS
from windtunnel.ports import WindowInfo
from windtunnel.services.bridge.flows.backend import Backend
from windtunnel.services.bridge.flows.flows import FLOWS, OPENING, Step
from windtunnel.services.bridge.flows.kill_announcer import KillAnnouncer, killed

Args = Mapping[str, Any]
Call = Callable[[Any], Awaitable[Any]]
Part = tuple[str, Call, Any, bool]
"""A step made ready: its name, what it calls, the argument, and whether that is to be filled."""
OwnFlow = Callable[[Backend, Args], Awaitable[Any]]
"""Stands for the flow of an action; neither bounded nor known to the session cache."""

NEVER_BOUND: Final = frozenset({"restart", "autofix"})


async def run_steps(parts: tuple[Part, ...], args: Args, announcer: KillAnnouncer) -> Any:  # noqa: ANN401 - whatever the last command returns
    """Run steps one after another and return what the last one did.

    Each takes and releases the UI lock by itself. Raises what a command raises, and
    WINDOW_NOT_FOUND before the command that follows the announcement of a kill (UI-W6).
    """
    who = acting.get()
    kills = announcer.kills
    result = None
    for name, call, argument, filled in parts:
        if who is not None:
            who.command = name
            if who.gate is not None:
                await who.gate(who)
        if announcer.kills != kills:
            raise killed()
        result = await call(argument.format_map(args) if filled else argument)
    return result


async def enter_command(who: Acting | None, name: str) -> None:
    """Name the command that comes next, and wait at its gate: for flows that are code."""
    if who is not None:
        who.command = name
        if who.gate is not None:
            await who.gate(who)


@dataclass(frozen=True, slots=True)
class Machine:
    """What flows drive: backends with the lock and without, programs and processes."""

    backend: Backend
    bare: Backend
    """Without the lock, for the commands in `unlocked`."""
    program: Call
    """Runs the capture program."""
    whole: Mapping[str, Callable[[], Awaitable[Any]]]
    """Action → its flow where that is code: restart, autofix."""
    unlocked: Mapping[str, frozenset[str]]
    """Action → its commands that take no lock."""

    def part(self, action: str, step: Step) -> Part:
        """Return a step of an action made ready."""
        backend = self.bare if step.name in self.unlocked.get(action, ()) else self.backend
        call = self.program if step.verb == "program" else getattr(backend, step.verb)
        filled = isinstance(step.argument, str) and "{" in step.argument
        return step.name, call, step.argument, filled


class FlowRunner:
    """Runs flows, each within `bound_s` seconds but for the `unbounded`.

    `own` replaces flows; `windows` opens the dead window of an action as it starts (UI-T4).
    """

    def __init__(
        self,
        machine: Machine,
        announcer: KillAnnouncer,
        bound_s: float,
        unbounded: frozenset[str] = NEVER_BOUND,
        own: Mapping[str, OwnFlow] | None = None,
        windows: Mapping[str, Callable[[], object]] | None = None,
    ) -> None:
        self._machine = machine
        self._announcer = announcer
        self._bound_s = bound_s
        self._unbounded = unbounded
        self._own = own or {}
        self._windows = windows or {}
        self._parts: dict[str, tuple[Part, ...]] = {}
        self._short: dict[str, tuple[Part, ...]] = {}
        self.sessions = SessionCache()
        self._running = 0
        self._begun = 0

    async def run(self, name: str, args: Args, *, cached: bool = False) -> Any:  # noqa: ANN401 - whatever the flow returns
        """Run the flow of an action to its end.

        `cached` skips the opening of a session that is open already. Raises what a command raises
        and TIMEOUT when the flow takes longer than its bound.
        """
        if (window := self._windows.get(name)) is not None:
            opened = window()
            if inspect.isawaitable(opened):
                await opened
        if (own := self._own.get(name)) is not None:
            return await own(self._machine.backend, args)
        if EFFECTS[name] == "keeps":
            return await self._bounded(name, self._parts_of(name), args)
        return await self._tracked(name, args, cached=cached)

    async def _tracked(self, name: str, args: Args, *, cached: bool) -> Any:  # noqa: ANN401 - as above
        """Run a flow that changes what is open; while it runs nothing is known to be."""
        effect = EFFECTS[name]
        parts = self._parts_of(name)
        window = None
        if effect == "opens":
            window = _identity(await self._machine.backend.window())
            if cached and self.sessions.is_open(args["to"], window):
                parts = self._short[name]
        alone = self._running == 0
        self._running += 1
        self._begun = mine = self._begun + 1
        self.sessions.left()
        try:
            result = await self._bounded(name, parts, args)
        except BaseException:
            self.sessions.forget()
            raise
        finally:
            self._running -= 1
        if effect == "forgets":
            self.sessions.forget()
        elif effect == "opens" and alone and self._begun == mine:
            # Beside another flow, in the wirings that allow it, nobody knows what is open.
            self.sessions.opened(args["to"], window)
        return result

    async def _bounded(self, name: str, parts: tuple[Part, ...], args: Args) -> Any:  # noqa: ANN401 - as above
        whole = self._machine.whole.get(name)
        if whole is not None:
            return await whole()
        if name in self._unbounded:
            return await run_steps(parts, args, self._announcer)
        bound = asyncio.timeout(self._bound_s)
        try:
            async with bound:
                return await run_steps(parts, args, self._announcer)
        except TimeoutError as error:
            if not bound.expired():
                raise
            raise BridgeError(
                Code.TIMEOUT, f"the flow {name} took over {self._bound_s:g} s"
            ) from error

    def _parts_of(self, name: str) -> tuple[Part, ...]:
        parts = self._parts.get(name)
        if parts is None:
            if name in self._machine.whole:
                return ()
            parts = tuple(self._machine.part(name, step) for step in FLOWS[name])
            self._parts[name] = parts
            opening = {step.name for step in OPENING}
            self._short[name] = tuple(part for part in parts if part[0] not in opening)
        return parts


def _identity(window: WindowInfo | None) -> tuple[int, int, int] | None:
    """Return what tells one window from another: ids are used again."""
    return None if window is None else (window.pid, window.started_ns, window.id)
