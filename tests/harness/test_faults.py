"""The faults of a world: brought about, verified, told and taken back, whatever their kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from windtunnel.errors import FaultError
from windtunnel.faults import Faults, Felt, Switch, always, at_once, nothing
from windtunnel.trace import Trace
from windtunnel.world import Fault


@dataclass
class Lamp:
    """Something that a fault may light."""

    lit: bool = False
    stuck: bool = False
    felt: list[Felt] = field(default_factory=list)

    def on(self) -> None:
        self.lit = not self.stuck

    def off(self) -> None:
        self.lit = self.stuck

    def switch(self, *, waits: bool) -> Callable[[Fault, Felt], Switch]:
        def make(_fault: Fault, felt: Felt) -> Switch:
            self.felt.append(felt)
            off = lambda: not self.lit  # noqa: E731 - the pair of the one beside it
            return Switch(self.on, lambda: self.lit, self.off, off, lies_in_wait=waits)

        return make


@pytest.fixture
def lamp() -> Lamp:
    return Lamp()


@pytest.fixture
def trace() -> Trace:
    return Trace(lambda: 0)


@pytest.fixture
def faults(lamp: Lamp, trace: Trace) -> Faults:
    kinds = {"light": lamp.switch(waits=False), "lurk": lamp.switch(waits=True)}
    return Faults("the simulated world", kinds, trace)


def kinds_of(trace: Trace) -> list[str]:
    return [event.kind for event in trace]


def test_what_changes_the_world_has_its_effect_at_once(faults: Faults, trace: Trace) -> None:
    at_once(faults.inject(Fault("f", "light")))
    at_once(faults.undo(Fault("f", "light")))
    assert kinds_of(trace) == ["fault.injected", "fault.affected", "fault.undone"]


def test_what_lies_in_wait_is_told_when_it_is_felt(
    faults: Faults, trace: Trace, lamp: Lamp
) -> None:
    at_once(faults.inject(Fault("f", "lurk")))
    assert kinds_of(trace) == ["fault.injected"]
    lamp.felt[0]("t.1")
    lamp.felt[0]("t.2")
    assert kinds_of(trace) == ["fault.injected", "fault.affected"]
    assert trace[1].details == {"hit": "t.1"}


def test_a_kind_that_no_part_knows_is_told(faults: Faults) -> None:
    with pytest.raises(FaultError, match=r"no fault `melt` \(known: light, lurk\)"):
        at_once(faults.inject(Fault("f", "melt")))


def test_one_fault_is_on_once(faults: Faults) -> None:
    at_once(faults.inject(Fault("f", "light")))
    with pytest.raises(FaultError, match="`f` is on already"):
        at_once(faults.inject(Fault("f", "light")))


def test_a_fault_that_does_not_come_about_is_told(faults: Faults, lamp: Lamp) -> None:
    lamp.stuck = True
    with pytest.raises(FaultError, match="did not take effect"):
        at_once(faults.inject(Fault("f", "light")))


def test_a_fault_that_stays_is_told_once_all_were_tried(faults: Faults, lamp: Lamp) -> None:
    at_once(faults.inject(Fault("f", "light")))
    at_once(faults.inject(Fault("g", "lurk")))
    lamp.stuck = True
    with pytest.raises(FaultError, match=r"`g` \(lurk\) could not be undone"):
        at_once(faults.undo_all())
    at_once(faults.undo_all())  # nothing is on any more


def test_what_never_began_need_not_be_undone(faults: Faults, trace: Trace) -> None:
    at_once(faults.undo(Fault("f", "light")))
    assert not kinds_of(trace)


def test_there_may_be_nothing_to_take_back() -> None:
    nothing()
    assert always()
