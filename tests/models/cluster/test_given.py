"""The given of a cluster: the figures that are left out, the names, and what means nothing."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.errors import WorldError
from windtunnel.units import MS, SECOND
from windtunnel_models.cluster.given import FleetGiven, read_cluster


@pytest.mark.parametrize("nothing", [None, {}, {"fleet": {}, "network": None}, {"router": {}}])
def test_what_is_left_out_has_its_figure(nothing: Any) -> None:
    read = read_cluster(nothing)
    assert read.fleet == FleetGiven(4, 2, 10, 10 * SECOND)
    assert (read.network.latency.min, read.network.latency.max) == (MS, MS)
    assert read.network.loss == 0


def test_what_is_said_is_read() -> None:
    fleet = {
        "internal": 3,
        "bridges": 1,
        "external": 0,
        "heartbeat": 200 * MS,
        "dead_after": 1,
        "off": ["inst-2"],
        "slow": {"inst-0": 2.0},
        "external_slow": 0.5,
    }
    read = read_cluster({"fleet": fleet, "network": {"latency": {"min": 0, "max": 9}, "loss": 1}})
    assert read.fleet == FleetGiven(
        3, 1, 0, 200 * MS, ("inst-2",), slow={"inst-0": 2.0}, external_slow=0.5
    )
    assert read.fleet.paces == {"inst-0": 2.0, "external": 0.5}
    assert (read.network.latency.max, read.network.loss) == (9, 1)


@pytest.mark.parametrize(
    ("internal", "bridges", "sizes"),
    [(4, 2, [2, 2]), (5, 2, [3, 2]), (7, 3, [3, 2, 2]), (1, 3, [1, 0, 0]), (0, 1, [0])],
)
def test_instances_stand_in_runs_on_the_bridges(
    internal: int, bridges: int, sizes: list[int]
) -> None:
    by_bridge = FleetGiven(internal, bridges).by_bridge()
    assert list(by_bridge) == [f"bridge-{number}" for number in range(bridges)]
    assert [len(names) for names in by_bridge.values()] == sizes


@given(st.integers(0, 50), st.integers(1, 9))
def test_every_instance_has_one_bridge(internal: int, bridges: int) -> None:
    fleet = FleetGiven(internal, bridges)
    shares = list(fleet.by_bridge().values())
    assert tuple(name for share in shares for name in share) == fleet.instances
    assert len(shares[0]) == -(-internal // bridges)
    assert len(shares[0]) - len(shares[-1]) <= 1


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"fleet": {"off": ["inst-4"]}}, "`fleet.off` names `inst-4`; the instances are: inst-0, "),
        ({"fleet": {"internal": 0, "slow": {"a": 2}}}, "`fleet.slow` names `a`; .* are: none"),
        ({"fleet": {"internal": -1}}, "`fleet.internal` is at least 0, not -1"),
        ({"fleet": {"bridges": 0}}, "`fleet.bridges` is at least 1, not 0"),
        ({"fleet": {"external": -2}}, "`fleet.external` is at least 0, not -2"),
        ({"fleet": {"heartbeat": 0}}, "`fleet.heartbeat` is at least 1, not 0"),
        ({"fleet": {"slow": {"inst-1": 0}}}, "inst-1 cannot take 0 times as long"),
        ({"fleet": {"external_slow": -1.0}}, "external cannot take -1.0 times as long"),
        ({"network": {"loss": 1.5}}, "`network.loss` is a share of the messages, 0 to 1, not 1.5"),
    ],
)
def test_what_means_nothing_is_refused(given: Any, complaint: str) -> None:
    with pytest.raises(WorldError, match=complaint):
        read_cluster(given)
