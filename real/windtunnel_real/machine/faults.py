"""The kinds of fault of the real machine: a row of `KINDS` each.

They have the names and the meaning that they have in the simulation, but happen: a process is
killed, a window is unmapped, a second connection clicks. Imports the machine and what lies in wait
for commands.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Final

from windtunnel.acting import Acting
from windtunnel.errors import FaultError
from windtunnel.faults import FaultKind, Felt, Switch, always, nothing
from windtunnel.machine.faults_in_wait import IN_WAIT
from windtunnel.ports import LoginState
from windtunnel.world import Fault
from windtunnel_real.errors import DeadlineError, InputError, StandinError
from windtunnel_real.machine.machine import RealMachine
from windtunnel_real.machine.told import NAME

ACT_S: Final = 5.0
"""How long somebody at the display may take to act."""


def _kill(machine: RealMachine, fault: Fault, _felt: Felt) -> Switch:
    name = fault.args.get("target", NAME)

    async def on() -> None:
        if not await machine.kill_all(name):
            raise FaultError(f"there is no `{name}` to kill: none runs at that instant")

    return Switch(on, lambda: not machine.runs(name), nothing, always)


def _lose_window(machine: RealMachine, _fault: Fault, _felt: Felt) -> Switch:
    told, application = machine.told, machine.application
    whose = application.pid

    async def on() -> None:
        if not told.shown.is_set():
            raise FaultError("there is no window to lose: WeChat shows none at that instant")
        await _ask(machine, "unmap")

    async def off() -> None:
        if application.pid == whose:
            await _ask(machine, "map")

    return Switch(
        on,
        lambda: not told.shown.is_set(),
        off,
        lambda: told.shown.is_set() or application.pid != whose,
    )


def _popup(machine: RealMachine, _fault: Fault, _felt: Felt) -> Switch:
    application = machine.application

    async def on() -> None:
        await _done(application.open_popup(ACT_S), "popup")

    async def off() -> None:
        await _done(application.close_popup(ACT_S), "close_popup")

    return Switch(on, lambda: application.popup, off, lambda: not application.popup)


def _second_person(machine: RealMachine, fault: Fault, _felt: Felt) -> Switch:
    click, types = fault.args.get("click", ""), fault.args.get("types")

    async def on() -> None:
        window = await machine.sight.mapped(ACT_S)
        if window is None:
            raise FaultError("a second person finds no window of WeChat at that instant")
        work = machine.told.begin(Acting(fault.id, fault.do), click)
        try:
            if click:
                place = await machine.desktop.aim(window, click, ACT_S)
                if place is None:
                    raise FaultError(
                        "a second person cannot click there: "
                        f"nothing on the screen looks like `{click}`"
                    )
                await machine.hands.driver.click(*place, timeout=ACT_S)
            if types:
                await machine.hands.typist.type_text(types, timeout=ACT_S)
            await machine.application.drain(ACT_S)
        except (DeadlineError, InputError, StandinError) as error:
            raise FaultError(f"a second person cannot act: {error}") from error
        finally:
            machine.told.end(work)

    return Switch(on, always, nothing, always)


def _log_out(machine: RealMachine, _fault: Fault, _felt: Felt) -> Switch:
    told = machine.told

    async def on() -> None:
        if told.account != "logged_in":
            raise FaultError(f"nobody is logged in at that instant (`{told.account}`)")
        await _log_in_or_out(machine, "logged_out")

    async def off() -> None:
        if told.account == "logged_out":
            await _log_in_or_out(machine, "logged_in")

    return Switch(
        on, lambda: told.account == "logged_out", off, lambda: told.account != "logged_out"
    )


def _log_in(machine: RealMachine, _fault: Fault, _felt: Felt) -> Switch:
    told = machine.told

    async def on() -> None:
        if not told.shown.is_set():
            raise FaultError("there is no code to scan: WeChat shows no window at that instant")
        if told.account == "logged_in":
            raise FaultError("there is no code to scan: somebody is logged in at that instant")
        await _log_in_or_out(machine, "logged_in")

    return Switch(on, lambda: told.account == "logged_in", nothing, always)


async def _log_in_or_out(machine: RealMachine, state: LoginState) -> None:
    await _done(machine.application.log_in_or_out(state, ACT_S), "login")


async def _ask(machine: RealMachine, do: str) -> None:
    await _done(machine.application.ask(do, ACT_S), do)


async def _done(doing: Awaitable[object], do: str) -> None:
    try:
        await doing
    except (TimeoutError, StandinError) as error:
        raise FaultError(f"the stand-in does not do `{do}`: {error}") from error


Kind = Callable[[RealMachine, Fault, Felt], Switch]

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


def fault_kinds(machine: RealMachine) -> dict[str, FaultKind]:
    """Return the kinds of this machine, by `do`."""
    return {do: partial(kind, machine) for do, kind in KINDS.items()}
