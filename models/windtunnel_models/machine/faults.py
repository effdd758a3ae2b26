"""The kinds of fault of the simulated machine: a row of `KINDS` each.

Imports the machine and what lies in wait for commands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Final

from windtunnel.acting import Acting
from windtunnel.errors import BridgeError, FaultError
from windtunnel.faults import FaultKind, Felt, Switch, always, nothing
from windtunnel.machine.faults_in_wait import IN_WAIT
from windtunnel.wechat.clicks import click
from windtunnel.wechat.keys import type_text
from windtunnel.world import Fault
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
        "hang": IN_WAIT["hang"],
        "slow": IN_WAIT["slow"],
        "fail": IN_WAIT["fail"],
        "lose_window": _lose_window,
        "slow_autostart": IN_WAIT["slow_autostart"],
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
