"""The garbage of a run: the collector's thresholds, and what is left at its end."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from windtunnel.scenario.playing.garbage import THRESHOLDS, looked_at_twice


class Ring:
    """What holds itself: only the collector takes it away."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def quiet_collector() -> Iterator[None]:
    """Let nothing be collected but where the test says so, and begin with nothing to collect."""
    before = gc.get_threshold()
    gc.collect()
    gc.set_threshold(10_000_000, 10_000, 10_000)
    yield
    gc.set_threshold(*before)


def test_the_thresholds_are_those_of_a_run_inside_and_come_back() -> None:
    before = gc.get_threshold()

    @looked_at_twice()
    def break_down() -> None:
        assert gc.get_threshold() == THRESHOLDS
        raise ValueError("a run that breaks down")

    with pytest.raises(ValueError, match="a run"):
        break_down()
    assert gc.get_threshold() == before


def test_what_got_old_in_the_block_goes_at_its_end() -> None:
    with looked_at_twice():
        ring = weakref.ref(kept := Ring())
        gc.collect(1)  # twice: it is old now
        gc.collect(1)
        del kept
        gc.collect(1)
        assert ring() is not None
    assert ring() is None


def test_a_short_block_costs_no_look_at_everything() -> None:
    with looked_at_twice():
        ring = weakref.ref(Ring())
    assert ring() is not None


def test_a_collector_that_is_off_stays_off() -> None:
    gc.disable()
    try:
        with looked_at_twice():
            gc.collect(1)
            ring = weakref.ref(Ring())
        assert not gc.isenabled()
        assert ring() is not None
    finally:
        gc.enable()
