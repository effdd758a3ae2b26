"""The latencies: what is given goes first, draws lie within bounds, a constant draws nothing."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel import streams
from windtunnel.errors import WorldError
from windtunnel.machine.latencies import Latencies
from windtunnel.spans import as_span
from windtunnel.units import HOUR, SECOND
from windtunnel_models.profile import default


def latencies(given: Mapping[str, object] | None = None, stream: Random | None = None) -> Latencies:
    return Latencies(given or {}, default().latencies, stream or streams.stream(0, "latency"))


@pytest.mark.parametrize(
    ("given", "command", "port", "seconds"),
    [
        ({}, "verify", "capture", 0.3),
        ({}, "anything", "capture", 0.2),
        ({}, "capture", "capture", 0.2),
        ({"capture": SECOND}, "verify", "capture", 1.0),
        ({"capture": SECOND, "verify": 2 * SECOND}, "verify", "capture", 2.0),
        ({"verify": 0}, "verify", "capture", 0.0),
    ],
)
def test_given_goes_before_the_profile_and_the_flows_name_before_the_ports(
    given: dict[str, object], command: str, port: str, seconds: float
) -> None:
    assert latencies(given).seconds(command, port) == seconds


def test_a_port_without_a_latency_is_an_error_that_names_it() -> None:
    with pytest.raises(WorldError, match="no latency for `teleport`"):
        latencies().seconds("a", "teleport")


@given(st.tuples(st.integers(0, HOUR), st.integers(0, HOUR)).map(sorted), st.integers())
def test_draws_lie_within_the_bounds_and_come_from_the_stream(bounds: list[int], seed: int) -> None:
    least, most = bounds
    span = {"click": {"min": least, "max": most}}
    first, again = (latencies(span, Random(seed)) for _ in range(2))
    drawn = [first.seconds("click", "click") for _ in range(20)]
    assert all(least / SECOND <= each <= most / SECOND for each in drawn)
    assert drawn == [again.seconds("click", "click") for _ in range(20)]


def test_both_bounds_are_drawn() -> None:
    drawn = {as_span({"min": 3, "max": 5}).draw(Random(seed)) for seed in range(50)}
    assert drawn == {3, 4, 5}


def test_a_constant_draws_nothing() -> None:
    stream = Random(1)
    before = stream.getstate()
    both = latencies({"click": SECOND, "key": {"min": SECOND, "max": SECOND}}, stream)
    both.seconds("click", "click")
    both.seconds("key", "key")
    assert stream.getstate() == before
    both.seconds("login_state", "login_state")
    assert stream.getstate() != before


def test_what_has_no_figure_may_have_one_for_all() -> None:
    figures = Latencies({"click": SECOND}, {}, Random(0), otherwise=0.0)
    assert (figures.seconds("a", "click"), figures.seconds("a", "key")) == (1.0, 0.0)
