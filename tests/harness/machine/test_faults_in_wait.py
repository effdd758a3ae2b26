"""Faults in wait: laid and lifted, felt when they are met, and an autostart that is held."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from windtunnel.errors import FaultError
from windtunnel.machine.ambushes import Ambushes, Met
from windtunnel.machine.autostart_times import Hold
from windtunnel.machine.faults_in_wait import IN_WAIT
from windtunnel.world import Fault


@dataclass
class Starter:
    """An autostart that only remembers."""

    held: Hold | None = None

    def hold(self, hold: Hold | None) -> None:
        self.held = hold


@dataclass
class Machine:
    """A machine with nothing on it."""

    ambushes: Ambushes = field(default_factory=Ambushes)
    autostart: Starter | None = field(default_factory=Starter)


@pytest.mark.parametrize(
    ("do", "args", "met"),
    [
        ("hang", {}, Met(hangs=True)),
        ("slow", {"by": 5}, Met(slower=5)),
        ("fail", {"code": "TIMEOUT"}, Met(code="TIMEOUT")),
    ],
)
def test_what_waits_is_met_by_its_command_alone(do: str, args: dict[str, object], met: Met) -> None:
    machine = Machine()
    felt: list[str] = []
    switch = IN_WAIT[do](machine, Fault("f", do, {"target": ["click"], **args}), felt.append)
    switch.on()
    assert switch.is_on()
    assert machine.ambushes.meet(("key",), "a") == Met()
    assert machine.ambushes.meet(("click",), "b") == met
    switch.off()
    assert switch.is_off()
    assert machine.ambushes.meet(("click",), "c") == Met()
    assert felt == ["b"]


def test_a_number_of_times_is_all() -> None:
    machine = Machine()
    args = {"target": "click", "times": 1}
    IN_WAIT["hang"](machine, Fault("f", "hang", args), lambda _op: None).on()
    assert machine.ambushes.meet(("click",), "a").hangs
    assert not machine.ambushes.meet(("click",), "a").hangs


def test_an_autostart_is_held_and_let_go() -> None:
    machine = Machine()
    fault = Fault("f", "slow_autostart", {"delay": 7})
    switch = IN_WAIT["slow_autostart"](machine, fault, lambda _op: None)
    switch.on()
    assert machine.autostart is not None
    assert machine.autostart.held is not None
    assert machine.autostart.held.delay == 7
    switch.off()
    assert machine.autostart.held is None


def test_what_nothing_brings_back_cannot_be_held() -> None:
    machine = Machine(autostart=None)
    fault = Fault("f", "slow_autostart", {"delay": 7})
    with pytest.raises(FaultError, match="nothing brings WeChat back"):
        IN_WAIT["slow_autostart"](machine, fault, lambda _op: None).on()
