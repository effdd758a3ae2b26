"""InstanceChoice: the preferred, the least occupied, the same bridge, chance."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.policies.router.choice import Candidate, InstanceChoice
from windtunnel.policies.router.router_options import LISTED, RouterOptions

pytestmark = pytest.mark.spec("RT-D2")

BRIDGES = ("b1", "b2", "b3")
FREE = st.lists(
    st.tuples(st.integers(0, 30), st.sampled_from(BRIDGES), st.integers(0, 3)),
    min_size=1,
    max_size=8,
    unique_by=lambda row: row[0],
).map(lambda rows: [Candidate(f"i{number}", bridge, tasks) for number, bridge, tasks in rows])
NAMES = st.none() | st.integers(0, 30).map("i{}".format)


def choice(seed: int = 1) -> InstanceChoice:
    return InstanceChoice(Random(seed), RouterOptions())


def test_the_preferred_comes_before_the_least_occupied() -> None:
    free = [Candidate("i1", "b1", 0), Candidate("i2", "b2", 5)]
    assert choice().among(free).take("i2", "b1").id == "i2"


def test_a_preferred_one_that_is_not_free_is_no_reason() -> None:
    free = [Candidate("i1", "b1", 1), Candidate("i2", "b2", 0)]
    assert choice().among(free).take("i3", "b1").id == "i2"


def test_the_same_bridge_decides_among_the_least_occupied_only() -> None:
    free = [Candidate("i1", "b1", 1), Candidate("i2", "b2", 0), Candidate("i3", "b3", 0)]
    assert choice().among(free).take(None, "b1").id in {"i2", "i3"}
    assert {choice(seed).among(free).take(None, "b3").id for seed in range(20)} == {"i3"}


def test_none_free_is_an_error() -> None:
    for options in (RouterOptions(), RouterOptions(**LISTED)):
        with pytest.raises(ValueError, match="no instance is free"):
            InstanceChoice(Random(1), options).among([]).take("i1", None)


def test_equals_are_chosen_by_chance_and_the_seed_alone() -> None:
    free = [Candidate(f"i{number}", "b1", 0) for number in range(4)]

    def row(seed: int) -> list[str]:
        one = choice(seed)
        return [one.among(free).take(None, "b1").id for _ in range(400)]

    assert row(7) == row(7)
    assert row(7) != row(8)
    assert all(70 < count < 130 for count in Counter(row(7)).values())
    assert len(Counter(row(7))) == 4


def test_nothing_is_drawn_where_nothing_is_left_to_chance() -> None:
    stream = Random(3)
    before = stream.getstate()
    one = InstanceChoice(stream, RouterOptions())
    free = [Candidate("i1", "b1", 0), Candidate("i2", "b2", 0), Candidate("i3", "b2", 1)]
    one.among(free).take("i3", None)
    one.among(free).take(None, "b1")
    one.among(free[1:]).take(None, None)
    assert stream.getstate() == before


@pytest.mark.spec("F-R4")
@given(FREE, NAMES, st.none() | st.sampled_from(BRIDGES))
def test_by_position_it_is_the_first(
    free: list[Candidate], preferred: str | None, bridge: str | None
) -> None:
    one = InstanceChoice(Random(1), RouterOptions(choice="position"))
    assert one.among(free).take(preferred, bridge) is free[0]


@given(FREE, NAMES, st.none() | st.sampled_from(BRIDGES), st.integers(0, 5))
def test_no_other_has_a_better_claim(
    free: list[Candidate], preferred: str | None, bridge: str | None, seed: int
) -> None:
    def claim(candidate: Candidate) -> tuple[bool, int, bool]:
        return candidate.id != preferred, candidate.tasks, candidate.bridge != bridge

    chosen = choice(seed).among(free).take(preferred, bridge)
    assert chosen in free
    assert claim(chosen) == min(map(claim, free))


@given(
    FREE, st.lists(st.tuples(NAMES, st.none() | st.sampled_from(BRIDGES)), max_size=8), st.data()
)
def test_taken_one_after_the_other_each_has_the_best_claim_of_those_left(
    free: list[Candidate], wishes: list[tuple[str | None, str | None]], data: st.DataObject
) -> None:
    left, pool = list(free), choice(data.draw(st.integers(0, 5))).among(free)
    for preferred, bridge in wishes[: len(free)]:
        chosen = pool.take(preferred, bridge)
        claims = {one.id: (one.id != preferred, one.tasks, one.bridge != bridge) for one in left}
        assert claims[chosen.id] == min(claims.values())
        left.remove(chosen)
        assert len(pool) == len(left)
