"""The faults in wait: what meets a command or an autostart later, the same on every machine.

Imports the faults and what lies in wait for commands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, Protocol

from windtunnel.errors import FaultError
from windtunnel.faults import Felt, Switch
from windtunnel.machine.ambushes import Ambush, Ambushes
from windtunnel.machine.autostart_times import Hold
from windtunnel.world import Fault


class Holdable(Protocol):
    """An autostart: something else than its draw may say when it comes."""

    @property
    def held(self) -> Hold | None:
        """What says so."""

    def hold(self, hold: Hold | None) -> None:
        """Let it say so; None: the draw again."""


class HasCommands(Protocol):
    """A machine whose commands may be met."""

    @property
    def ambushes(self) -> Ambushes:
        """The faults in wait."""

    @property
    def autostart(self) -> Holdable | None:
        """What brings the application back; None: nothing."""


def _ambush(machine: HasCommands, fault: Fault, felt: Felt, **how: Any) -> Switch:  # noqa: ANN401 - fields
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


def _hang(machine: HasCommands, fault: Fault, felt: Felt) -> Switch:
    return _ambush(machine, fault, felt, hangs=True)


def _slow(machine: HasCommands, fault: Fault, felt: Felt) -> Switch:
    return _ambush(machine, fault, felt, slower=fault.args["by"])


def _fail(machine: HasCommands, fault: Fault, felt: Felt) -> Switch:
    return _ambush(machine, fault, felt, code=fault.args["code"])


def _slow_autostart(machine: HasCommands, fault: Fault, felt: Felt) -> Switch:
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


InWait = Callable[[HasCommands, Fault, Felt], Switch]

IN_WAIT: Final[Mapping[str, InWait]] = MappingProxyType(
    {"hang": _hang, "slow": _slow, "fail": _fail, "slow_autostart": _slow_autostart}
)
"""`do` → what makes its switch."""
