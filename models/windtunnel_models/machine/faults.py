"""The kinds of fault of the simulated machine: a row of `KINDS` each.

Imports the machine and what lies in wait for commands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from windtunnel.acting import Acting
from windtunnel.errors import BridgeError, FaultError
from windtunnel.faults import FaultKind, Felt, Switch, always, nothing
from windtunnel.machine.ambushes import Ambush
from windtunnel.wechat.clicks import click
from windtunnel.wechat.keys import type_text
from windtunnel.world import Fault
from windtunnel_models.machine.autostart import Hold
from windtunnel_models.machine.machine import Machine
from windtunnel_models.machine.process_table import SIGKILL
from windtunnel_models.wechat.application import NAME


def _kill(machine: Machine, fault: Fault, _felt: Felt) -> Switch:
    name = fault.args.get("target", NAME)

    def on() -> None:
        pids = [process.pid for process in machine.table.live(name)]
        if not pids:
            raise FaultError(f"there is no `{name}` to kill: none runs at that instant")
        for pid in pids:
            machine.table.signal(pid, SIGKILL)

    return Switch(on, lambda: not any(machine.table.live(name)), nothing, always)


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

    return Switch(on, always, nothing, always)


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

    return Switch(on, lambda: database.account == "logged_in", nothing, always)


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


def fault_kinds(machine: Machine) -> dict[str, FaultKind]:
    """Return the kinds of this machine, by `do`."""
    return {do: partial(kind, machine) for do, kind in KINDS.items()}
