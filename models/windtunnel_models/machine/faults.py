"""Faults: what a scenario may bring about on the simulated machine, and how it is taken back.

Each kind is a row of `KINDS`: it is injected at the call, verified, and undone. Imports the
machine and what lies in wait for commands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from windtunnel.acting import Acting
from windtunnel.errors import BridgeError, FaultError
from windtunnel.trace import NO_DETAILS
from windtunnel.world import Fault
from windtunnel_models.machine.ambushes import Ambush
from windtunnel_models.machine.autostart import Hold
from windtunnel_models.machine.machine import Machine
from windtunnel_models.machine.process_table import SIGKILL
from windtunnel_models.wechat.application import NAME
from windtunnel_models.wechat.clicks import click
from windtunnel_models.wechat.keys import type_text

Felt = Callable[[str], None]
"""Tells that a fault has had an effect, and on which operation (`""`: on the world itself)."""


@dataclass(frozen=True, slots=True)
class Switch:
    """A fault of one run, ready to be brought about: `on`, then `off`."""

    on: Callable[[], None]
    """Brings it about; raises `FaultError` where that cannot be."""
    is_on: Callable[[], bool]
    """Asked right after `on`."""
    off: Callable[[], None]
    """Takes it back; nothing happens where it has ended by itself."""
    is_off: Callable[[], bool]
    """Asked right after `off`."""
    lies_in_wait: bool = False
    """Whether it has its effect later, which `Felt` tells."""


def _nothing() -> None:
    """Nothing is to be taken back."""


def _always() -> bool:
    return True


def _kill(machine: Machine, fault: Fault, _felt: Felt) -> Switch:
    name = fault.args.get("target", NAME)

    def on() -> None:
        pids = [process.pid for process in machine.table.live(name)]
        if not pids:
            raise FaultError(f"there is no `{name}` to kill: none runs at that instant")
        for pid in pids:
            machine.table.signal(pid, SIGKILL)

    return Switch(on, lambda: not any(machine.table.live(name)), _nothing, _always)


def _ambush(machine: Machine, fault: Fault, felt: Felt, **how: Any) -> Switch:  # noqa: ANN401 - fields
    target = fault.args["target"]
    targets = frozenset((target,) if isinstance(target, str) else target)
    ambush = Ambush(targets, felt, left=fault.args.get("times"), **how)
    ambushes = machine.ambushes
    return Switch(
        lambda: ambushes.lay(ambush),
        lambda: ambush in ambushes,
        lambda: ambushes.lift(ambush),
        lambda: ambush not in ambushes,
        lies_in_wait=True,
    )


def _hang(machine: Machine, fault: Fault, felt: Felt) -> Switch:
    return _ambush(machine, fault, felt, hangs=True)


def _slow(machine: Machine, fault: Fault, felt: Felt) -> Switch:
    return _ambush(machine, fault, felt, slower=fault.args["by"])


def _fail(machine: Machine, fault: Fault, felt: Felt) -> Switch:
    return _ambush(machine, fault, felt, code=fault.args["code"])


def _lose_window(machine: Machine, _fault: Fault, _felt: Felt) -> Switch:
    wechat = machine.wechat
    whose = wechat.pid

    def on() -> None:
        if not machine.screen.window:
            raise FaultError("there is no window to lose: WeChat shows none at that instant")
        wechat.lose_window()

    def off() -> None:
        if wechat.pid == whose:
            wechat.show_window()

    return Switch(
        on,
        lambda: not machine.screen.window,
        off,
        lambda: machine.screen.window or wechat.pid != whose,
    )


def _slow_autostart(machine: Machine, fault: Fault, felt: Felt) -> Switch:
    hold = Hold(fault.args["delay"], lambda: felt(""))
    autostart = machine.autostart

    def on() -> None:
        if autostart is None:
            raise FaultError("nothing brings WeChat back in this world: `autostart` is null")
        autostart.hold(hold)

    def off() -> None:
        if autostart is not None and autostart.held is hold:
            autostart.hold(None)

    return Switch(
        on,
        lambda: autostart is not None and autostart.held is hold,
        off,
        lambda: autostart is None or autostart.held is not hold,
        lies_in_wait=True,
    )


def _popup(machine: Machine, _fault: Fault, _felt: Felt) -> Switch:
    screen = machine.screen
    return Switch(
        screen.open_popup, lambda: screen.popup, screen.close_popup, lambda: not screen.popup
    )


def _second_person(machine: Machine, fault: Fault, _felt: Felt) -> Switch:
    who = Acting(fault.id, fault.do)

    def on() -> None:
        if not machine.screen.window:
            raise FaultError("a second person finds no window of WeChat at that instant")
        try:
            if fault.args.get("click"):
                click(machine.surface, fault.args["click"], who)
            if fault.args.get("types"):
                type_text(machine.surface, fault.args["types"], who)
        except BridgeError as error:
            raise FaultError(f"a second person cannot click there: {error.message}") from error

    return Switch(on, _always, _nothing, _always)


def _log_out(machine: Machine, _fault: Fault, _felt: Felt) -> Switch:
    surface, database = machine.surface, machine.database

    def on() -> None:
        if database.account != "logged_in":
            raise FaultError(f"nobody is logged in at that instant (`{database.account}`)")
        surface.log_in_or_out("logged_out")

    def off() -> None:
        if database.account == "logged_out":
            surface.log_in_or_out("logged_in")

    return Switch(
        on,
        lambda: database.account == "logged_out",
        off,
        lambda: database.account != "logged_out",
    )


def _log_in(machine: Machine, _fault: Fault, _felt: Felt) -> Switch:
    surface, database = machine.surface, machine.database

    def on() -> None:
        if not machine.screen.window:
            raise FaultError("there is no code to scan: WeChat shows no window at that instant")
        if database.account == "logged_in":
            raise FaultError("there is no code to scan: somebody is logged in at that instant")
        surface.log_in_or_out("logged_in")

    return Switch(on, lambda: database.account == "logged_in", _nothing, _always)


Kind = Callable[[Machine, Fault, Felt], Switch]

KINDS: Final[Mapping[str, Kind]] = MappingProxyType(
    {
        "kill": _kill,
        "hang": _hang,
        "slow": _slow,
        "fail": _fail,
        "lose_window": _lose_window,
        "slow_autostart": _slow_autostart,
        "popup": _popup,
        "second_person": _second_person,
        "log_out": _log_out,
        "log_in": _log_in,
    }
)
"""`do` → what makes its switch."""


class Faults:
    """The faults of one run: what is on, and what each has done to the trace."""

    def __init__(self, machine: Machine) -> None:
        self._machine = machine
        self._on: dict[str, tuple[Fault, Switch]] = {}
        self._affected: set[str] = set()

    def inject(self, fault: Fault) -> None:
        """Bring a fault about, and verify it.

        Raises `FaultError` for an unknown kind, for one that is on already, and where it cannot be.
        """
        if fault.do not in KINDS:
            known = ", ".join(KINDS)
            raise FaultError(f"the simulated world knows no fault `{fault.do}` (known: {known})")
        if fault.id in self._on:
            raise FaultError(f"the fault `{fault.id}` is on already")

        def felt(op: str) -> None:
            self._note_affected(fault, op)

        switch = KINDS[fault.do](self._machine, fault, felt)
        self._record("fault.injected", fault)
        switch.on()
        self._on[fault.id] = (fault, switch)
        if not switch.is_on():
            raise FaultError(f"the fault `{fault.id}` ({fault.do}) did not take effect")
        if not switch.lies_in_wait:
            self._note_affected(fault, "")

    def undo(self, fault: Fault) -> None:
        """Take a fault back, and verify that; nothing happens for one that is not on.

        Raises `FaultError` when it stays.
        """
        if fault.id not in self._on:
            return
        _, switch = self._on.pop(fault.id)
        switch.off()
        if not switch.is_off():
            raise FaultError(f"the fault `{fault.id}` ({fault.do}) could not be undone")
        self._record("fault.undone", fault)

    def undo_all(self) -> None:
        """Take back whatever is on, the last first.

        Raises `FaultError` for the first that stays, once all have been tried.
        """
        stays: list[FaultError] = []
        for fault, _ in reversed(tuple(self._on.values())):
            try:
                self.undo(fault)
            except FaultError as error:
                stays.append(error)
        if stays:
            raise stays[0]

    def _note_affected(self, fault: Fault, op: str) -> None:
        if fault.id not in self._affected:
            self._affected.add(fault.id)
            self._record("fault.affected", fault, {"hit": op} if op else NO_DETAILS)

    def _record(self, kind: str, fault: Fault, details: Mapping[str, Any] = NO_DETAILS) -> None:
        self._machine.trace.record(kind, fault.id, "", fault.do, "", "", details)
