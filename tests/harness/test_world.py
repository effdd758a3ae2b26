"""What worlds share: the limits and the options of a run unless said."""

from __future__ import annotations

import dataclasses
import pickle

from windtunnel.units import HOUR, SECOND
from windtunnel.world import Limits, RunEnd, WorldOptions, WorldSpec


def test_a_run_is_bounded_unless_said_otherwise() -> None:
    assert WorldSpec().limits == Limits(sim=HOUR, wall=60 * SECOND, events=1_000_000)
    assert WorldSpec() == WorldSpec(seed=0, given=None)


def test_an_end_needs_no_message() -> None:
    assert RunEnd("finished").message == ""


def test_a_real_world_has_a_display_of_its_own_unless_said_otherwise() -> None:
    options = WorldSpec().options
    assert options == WorldOptions(None, None, None, "failed", "windtunnel-frames")
    given = dataclasses.replace(options, display=":1", frames="all")
    assert pickle.loads(pickle.dumps(given)) == given != options  # noqa: S301 - our own
