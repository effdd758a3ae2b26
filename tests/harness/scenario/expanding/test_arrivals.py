"""Arrivals: drawn from the cell's seed, the same each time, and never too many."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.scenario.cells import Cell
from windtunnel.scenario.expanding.arrivals import UNKNOWN_ARRIVALS, Arrivals, draw_arrivals
from windtunnel.scenario.expanding.timeline_names import UNKNOWN_REPEAT
from windtunnel.scenario.reading.arrival_reading import ArrivalTable
from windtunnel.scenario.reading.models import MAX_REPEAT
from windtunnel.units import SECOND, parse_duration

Expand = Callable[..., tuple[Cell, ...]]

HEAD = "format: 1\nname: probe\nsystem: toy\nexpect: [conservation: {}]\n"


def drawn(seed: int = 0, id_: str = "a", **said: Any) -> Arrivals:
    found = draw_arrivals({"submit": "ping", "id": id_, **said}, seed=seed, table=None).value
    assert found is not None
    return found


def offsets(seed: int = 0, id_: str = "a", **said: Any) -> tuple[int, ...]:
    found = drawn(seed, id_, **said)
    assert found.offsets is not None, found.wrong
    return found.offsets


def test_bursts() -> None:
    said = {"size": 2, "every": "3s", "count": 3}
    assert offsets(burst=said) == (0, 0, 3 * SECOND, 3 * SECOND, 6 * SECOND, 6 * SECOND)
    assert offsets(burst={"size": 3}) == (0, 0, 0)


def test_the_rows_of_a_table() -> None:
    table = ArrivalTable((0, 5), (), ((), ()), ("x:1", "x:2"))
    found = draw_arrivals({"submit": "ping", "from_csv": {}}, seed=0, table=table).value
    assert found == Arrivals("from_csv", (0, 5))


@given(st.integers(0, 2**63 - 1), st.integers(1, 50))
def test_as_many_as_were_asked_for(seed: int, count: int) -> None:
    found = offsets(seed, poisson={"rate": "2/s", "count": count})
    assert len(found) == count
    assert list(found) == sorted(found)
    assert found[0] >= 0


@given(st.integers(0, 2**63 - 1), st.sampled_from(["5s", "1min", "90s"]))
def test_all_of_a_time_and_none_after_it(seed: int, until: str) -> None:
    found = offsets(seed, poisson={"rate": "5/s", "until": until})
    assert found[-1] <= parse_duration(until)
    more = offsets(seed, poisson={"rate": "5/s", "count": len(found) + 1})
    assert more[:-1] == found, "the same arrivals, whichever way they end"
    assert more[-1] >= parse_duration(until)


def test_the_mean_gap_is_the_rate_s() -> None:
    for rate, mean in (("2/s", SECOND / 2), ("90/min", SECOND / 1.5), ("0.5/s", 2 * SECOND)):
        found = offsets(7, poisson={"rate": rate, "count": 20_000})
        assert found[-1] / len(found) == pytest.approx(mean, rel=0.03)


def test_gaps_are_spread_as_those_of_a_poisson_process() -> None:
    found = offsets(3, poisson={"rate": "1/s", "count": 20_000})
    gaps = [later - sooner for sooner, later in zip((0, *found), found, strict=False)]
    longer = [sum(gap > k * SECOND for gap in gaps) / len(gaps) for k in (1, 2, 3)]
    assert longer == pytest.approx([0.3679, 0.1353, 0.0498], abs=0.01)


def test_each_entry_draws_from_a_stream_of_its_own() -> None:
    said = {"rate": "2/s", "count": 5}
    assert offsets(1, "a", poisson=said) == offsets(1, "a", poisson=said)
    different = {offsets(1, "a", poisson=said), offsets(1, "b", poisson=said)}
    assert len(different | {offsets(2, "a", poisson=said)}) == 3


def test_drawn_arrivals_do_not_change_from_version_to_version() -> None:
    assert offsets(0, "p", poisson={"rate": "2/s", "count": 2}) == (682_145_354, 757_465_206)


def test_too_many_too_late_and_none() -> None:
    many = drawn(poisson={"rate": "1/ns", "until": "1s"})
    assert (many.offsets, many.count) == (None, UNKNOWN_REPEAT)
    assert many.wrong == f"over {MAX_REPEAT:,} arrivals in one entry"
    assert "97 days" in drawn(poisson={"rate": "1/d", "count": 1000}).wrong
    assert "nothing arrives" in drawn(poisson={"rate": "1/d", "until": "1ns"}).wrong
    assert "97 days" in drawn(burst={"size": 1, "every": "90d", "count": 3}).wrong


@pytest.mark.parametrize(
    "said", [{"poisson": 3}, {"poisson": {"rate": 2}}, {"burst": {"size": 0}}, {"burst": None}, {}]
)
def test_what_is_malformed_is_told_elsewhere(said: dict[str, Any]) -> None:
    assert drawn(**said) == UNKNOWN_ARRIVALS


def test_in_a_cell(cells: Expand) -> None:
    text = """\
    matrix: {seed: [1, 2], n: [3, 4]}
    timeline:
      - {at: 1s, submit: job, id: p, poisson: {rate: 2/s, count: $n}, args: {name: x$i}}
      - {after: p.2.settled, submit: ping, id: b, burst: {size: $n}}
    """
    found = cells(HEAD, text)
    assert [[entry.repeat for entry in cell.timeline] for cell in found] == [
        [3, 3],
        [4, 4],
        [3, 3],
        [4, 4],
    ]
    first, longer, other, _ = (cell.timeline[0].offsets or () for cell in found)
    assert longer[:3] == first != other
    assert found[0].timeline[0].template.make(2).args.name == "x2"
    assert found[0].timeline[0].template.make(2).id == "p.2"


def test_the_command_line_s_seed_draws_others(cells: Expand) -> None:
    text = "timeline: [{at: 0s, submit: ping, poisson: {rate: 2/s, count: 3}}]\n"
    (one,), (two,) = cells(HEAD, text, seed=5), cells(HEAD, text, seed=6)
    assert one.timeline[0].offsets != two.timeline[0].offsets
