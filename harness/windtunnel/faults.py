"""Faults: what a scenario may bring about in a world, and how it is taken back.

Each part of a world says which kinds it knows; a fault is brought about, verified, and undone.
Imports the world's contract and the trace.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

from windtunnel.errors import FaultError
from windtunnel.trace import NO_DETAILS, Trace
from windtunnel.world import Fault

Act = Callable[[], Awaitable[None] | None]
"""Does something to the world, at the call or once what it returns is over."""
Felt = Callable[[str], None]
"""Tells that a fault has had an effect, and on which operation (`""`: on the world itself)."""


@dataclass(frozen=True, slots=True)
class Switch:
    """A fault of one run, ready to be brought about: `on`, then `off`."""

    on: Act
    """Brings it about; raises `FaultError` where that cannot be."""
    is_on: Callable[[], bool]
    """Asked right after `on`."""
    off: Act
    """Takes it back; nothing happens where it has ended by itself."""
    is_off: Callable[[], bool]
    """Asked right after `off`."""
    lies_in_wait: bool = False
    """Whether it has its effect later, which `Felt` tells."""


def nothing() -> None:
    """Take nothing back."""


def always() -> bool:
    """Say that it is so."""
    return True


FaultKind = Callable[[Fault, Felt], Switch]
"""Makes the switch of one fault; raises `FaultError` for arguments that mean nothing here."""


class Faults:
    """The faults of one run: what is on, and what each has done to the trace.

    Nothing suspends where no switch does: see `at_once`.
    """

    def __init__(self, world: str, kinds: Mapping[str, FaultKind], trace: Trace) -> None:
        """Make it for the kinds that the parts of a world know: `do` → what makes its switch."""
        self._world = world
        self._kinds = kinds
        self._trace = trace
        self._on: dict[str, tuple[Fault, Switch]] = {}
        self._affected: set[str] = set()

    async def inject(self, fault: Fault) -> None:
        """Bring a fault about, and verify it.

        Raises `FaultError` for an unknown kind, for one that is on already, and where it cannot be.
        """
        if fault.do not in self._kinds:
            known = ", ".join(self._kinds)
            raise FaultError(f"{self._world} knows no fault `{fault.do}` (known: {known})")
        if fault.id in self._on:
            raise FaultError(f"the fault `{fault.id}` is on already")

        def felt(op: str) -> None:
            self._note_affected(fault, op)

        switch = self._kinds[fault.do](fault, felt)
        self._record("fault.injected", fault)
        await _over(switch.on())
        self._on[fault.id] = (fault, switch)
        if not switch.is_on():
            raise FaultError(f"the fault `{fault.id}` ({fault.do}) did not take effect")
        if not switch.lies_in_wait:
            self._note_affected(fault, "")

    async def undo(self, fault: Fault) -> None:
        """Take a fault back, and verify that; nothing happens for one that is not on.

        Raises `FaultError` when it stays.
        """
        if fault.id not in self._on:
            return
        _, switch = self._on.pop(fault.id)
        await _over(switch.off())
        if not switch.is_off():
            raise FaultError(f"the fault `{fault.id}` ({fault.do}) could not be undone")
        self._record("fault.undone", fault)

    async def undo_all(self) -> None:
        """Take back whatever is on, the last first.

        Raises `FaultError` for the first that stays, once all have been tried.
        """
        stays: list[FaultError] = []
        for fault, _ in reversed(tuple(self._on.values())):
            try:
                await self.undo(fault)
            except FaultError as error:
                stays.append(error)
        if stays:
            raise stays[0]

    def _note_affected(self, fault: Fault, op: str) -> None:
        if fault.id not in self._affected:
            self._affected.add(fault.id)
            self._record("fault.affected", fault, {"hit": op} if op else NO_DETAILS)

    def _record(self, kind: str, fault: Fault, details: Mapping[str, Any] = NO_DETAILS) -> None:
        self._trace.record(kind, fault.id, "", fault.do, "", "", details)


async def _over(doing: Awaitable[None] | None) -> None:
    if inspect.isawaitable(doing):
        await doing


def at_once(doing: Coroutine[Any, Any, None]) -> None:
    """Run a coroutine that does not suspend, now; raises what it raises."""
    try:
        doing.send(None)
    except StopIteration:
        return
    doing.close()
    raise RuntimeError(f"{doing!r} would have to wait")
