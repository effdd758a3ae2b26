"""Holding: the pairs of `order`. What comes second waits until what comes first has happened.

A command is held at its gate, before the UI lock is taken; a submission is held by the player.
Imports asyncio, `windtunnel.acting`, the trace and the cells.
"""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from functools import partial

from windtunnel.acting import Acting
from windtunnel.event_names import EventName
from windtunnel.scenario.cells import Held
from windtunnel.scenario.playing.occurrence import once
from windtunnel.trace import Trace

Go = Callable[[], None]


class Hold:
    """One pair in one run."""

    def __init__(self, held: Held, trace: Trace) -> None:
        self.held = held
        self.open = True
        """Whether the first has not happened yet."""
        self.came_up = False
        """Whether the second was about to happen, at whatever time."""
        self.given_up = False
        """Whether the second was cancelled while it was held: it never happened after the first."""
        self.over = False
        """Whether the run is over: what happens then lets nothing go."""
        self._waiting: list[Go] = []
        once(trace, held.first, self._release)

    def wait(self, go: Go) -> None:
        """Call `go` when the first happens, inside the step in which it does."""
        self._waiting.append(go)

    def _release(self) -> None:
        if self.over:
            return
        self.open = False
        waiting, self._waiting = self._waiting, []
        for go in waiting:
            go()


class Holding:
    """The pairs of a cell, from the beginning of its run."""

    def __init__(self, pairs: Iterable[Held], trace: Trace) -> None:
        self._holds = [Hold(held, trace) for held in pairs]
        self._table: dict[tuple[str, str], list[Hold]] = defaultdict(list)
        self._begun: Counter[tuple[str, str]] = Counter()
        for hold in self._holds:
            then = hold.held.then
            for op in _operations(then):
                self._table[op, then.command].append(hold)

    async def gate(self, who: Acting) -> None:
        """Hold the command that `who` is about to begin for as long as `order` says."""
        key = (who.op, who.command)
        if not who.command or key not in self._table:
            return
        self._begun[key] += 1
        for hold in self._table[key]:
            if hold.held.then.nth != self._begun[key]:
                continue
            hold.came_up = True
            if hold.open:
                opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
                hold.wait(partial(_open, opened))
                try:
                    await opened
                except asyncio.CancelledError:
                    hold.given_up = hold.given_up or (opened.cancelled() and not hold.over)
                    raise

    def holds(self, operation: str, go: Go) -> bool:
        """Tell whether a submission has to wait; if so `go` is called when nothing holds it."""
        holds = self._table.get((operation, ""), ())
        for hold in holds:
            hold.came_up = True
        first = next((hold for hold in holds if hold.open), None)
        if first is None:
            return False

        def look_again() -> None:
            if not self.holds(operation, go):
                go()

        first.wait(look_again)
        return True

    def close(self) -> None:
        """Let nothing go any more: the run is over."""
        for hold in self._holds:
            hold.over = True

    def unreached(self) -> tuple[str, ...]:
        """Return a text for each thing that was held and whose time did not come, or not for it."""
        return tuple(
            f"`{hold.held.then.text}` (line {hold.held.line}) {_why(hold)}"
            for hold in self._holds
            if hold.came_up and (hold.open or hold.given_up)
        )

    def unapplied(self) -> tuple[str, ...]:
        """Return a text for each pair whose second was never about to happen."""
        return tuple(
            f"`{one.then.text}` of `order` (line {one.line}) never came up"
            for one in (hold.held for hold in self._holds if not hold.came_up)
        )


def _why(hold: Hold) -> str:
    first = hold.held.first.text
    if hold.open:
        return f"is held until `{first}`, which has not happened"
    return f"was given up while it was held until `{first}`"


def _open(gate: asyncio.Future[None]) -> None:
    if not gate.done():  # who was held may have been cancelled
        gate.set_result(None)


def _operations(name: EventName) -> tuple[str, ...]:
    """Return the ids that a name means: the 0th of a repeat is also the bare id."""
    return (name.op, name.id) if name.index == 0 else (name.op,)
