"""A command: one call of a port, recorded from its begin to its end, and the time it takes.

What a command does happens at its end: a click is done when the program that clicks is, and one
that is broken off half-way (cancelled, timed out) has done nothing. Imports who acts, the trace,
the latencies and the faults that lie in wait.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import lru_cache
from types import TracebackType
from typing import Final, Self

from windtunnel.acting import Acting, acting
from windtunnel.errors import BridgeError, Code
from windtunnel.machine.ambushes import Ambushes, Met
from windtunnel.machine.latencies import Latencies
from windtunnel.ports import COMMAND_BOUND_S
from windtunnel.trace import Details, Outcome, Trace
from windtunnel.units import SECOND

_who: Final = acting.get


@dataclass(frozen=True, slots=True)
class Commands:
    """What all commands of one world share."""

    trace: Trace
    latencies: Latencies
    ambushes: Ambushes
    pause: Callable[[float], Awaitable[None]]
    """Returns what is over so many seconds from now; awaited at once."""


class Command:
    """A running command: a context manager that records `command.started` and `command.ended`.

    `port` is the port's own name for it; the flow's name, where it gave one, goes first.
    """

    __slots__ = ("_commands", "_details", "_record", "_resource", "name", "port", "who")

    def __init__(self, commands: Commands, port: str, resource: str) -> None:
        self._commands = commands
        self._record = commands.trace.record
        self._resource = resource
        self.port = port
        self.who = who = _who() or Acting("", "")
        self.name = name = who.command or port
        self._details = _details(name, who.next_step())

    def __enter__(self) -> Self:
        self.begin()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.end(outcome_of(kind))

    def begin(self) -> None:
        """Record the begin; for a command that outlives its call."""
        who = self.who
        self._record(
            "command.started", who.op, who.actor, who.class_, self._resource, "", self._details
        )

    def end(self, outcome: str) -> None:
        """Record the end; for a command that outlives its call."""
        who = self.who
        self._record(
            "command.ended", who.op, who.actor, who.class_, self._resource, outcome, self._details
        )

    def seconds(self) -> float:
        """Return how long it takes, faults aside."""
        return self._commands.latencies.seconds(self.name, self.port)

    def take(self, seconds: float | None = None, bound: float = COMMAND_BOUND_S) -> Awaitable[None]:
        """Return what lets its time pass: `seconds`, if given, in the place of the profile's.

        Raises TIMEOUT after `bound` seconds, and what a fault makes it raise.
        """
        commands = self._commands
        if seconds is None:
            seconds = commands.latencies.seconds(self.name, self.port)
        if seconds <= bound and not commands.ambushes.targets:
            return commands.pause(seconds)
        return self._take(seconds, bound)

    async def _take(self, seconds: float, bound: float) -> None:
        if not await self.passes(seconds, bound):
            raise self.given_up(bound)

    async def passes(self, seconds: float, bound: float, met: Met | None = None) -> bool:
        """Let `seconds` pass and tell whether they, and what faults add, were within `bound`.

        Raises what a fault makes it raise.
        """
        met = self.meet() if met is None else met
        seconds += met.slower / SECOND
        if met.hangs or seconds > bound:
            await self._commands.pause(bound)
            return False
        await self._commands.pause(seconds)
        self.fail(met)
        return True

    async def take_met(self, met: Met) -> None:
        """Let its time pass, with what it has met already; raises as `take` does."""
        if not await self.passes(self.seconds(), COMMAND_BOUND_S, met):
            raise self.given_up(COMMAND_BOUND_S)

    def given_up(self, bound: float) -> BridgeError:
        """Return the TIMEOUT after `bound` seconds."""
        return BridgeError(Code.TIMEOUT, f"{self.name} was given up after {bound:g} s")

    def meet(self, *more: str) -> Met:
        """Return what faults lie in wait for it, under these further names too."""
        return self._commands.ambushes.meet((self.name, self.port, *more), self.who.op)

    def fail(self, met: Met) -> None:
        """Raise the error that a fault makes of it, if it does."""
        if met.code:
            raise BridgeError(met.code, f"{self.name} failed: a fault of the scenario")


@lru_cache(maxsize=1024)
def _details(name: str, step: int) -> Details:
    """Return the details of a command's events; flows of one class share them."""
    return {"command": name, "step": step}


def outcome_of(error: type[BaseException] | None) -> str:
    """Return the outcome of a command that ended with that kind of exception, or with none."""
    if error is None:
        return Outcome.DONE
    return Outcome.FAILED if issubclass(error, Exception) else Outcome.ABORTED
