"""What worlds share: the limits of a run unless said."""

from __future__ import annotations

from windtunnel.units import HOUR, SECOND
from windtunnel.world import Limits, RunEnd, WorldSpec


def test_a_run_is_bounded_unless_said_otherwise() -> None:
    assert WorldSpec().limits == Limits(sim=HOUR, wall=60 * SECOND, events=1_000_000)
    assert WorldSpec() == WorldSpec(seed=0, given=None)


def test_an_end_needs_no_message() -> None:
    assert RunEnd("finished").message == ""
