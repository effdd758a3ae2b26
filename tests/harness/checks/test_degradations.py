"""The degradations of a trace."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks.degradations import Degradation, degradations
from windtunnel.units import MS

Story = Any  # the class in conftest.py, which cannot be imported

pytestmark = pytest.mark.spec("RT-H2", "RT-H3", "RT-H4")


def lose(story: Story) -> Story:
    return story.record("link.lost", details={"why": "closed", "again_in": 0})


def meet(story: Story, reaction: str, party: str = "backend") -> Story:
    details = {"error": "unknown", "severity": "medium", "reaction": reaction, "party": party}
    return story.record("error.met", details=details)


def restart(story: Story, host: str = "backend") -> Story:
    return story.record("host.started", resource=host)


def inside(story: Story) -> Story:
    return story.decide(1, (1, 0), (1, 0))


def only(story: Story) -> Degradation:
    (one,) = degradations(story.trace)
    return one


@pytest.mark.parametrize(
    ("tell", "found"),
    [
        (lose, True),
        (lambda s: s.health(False), True),
        (lambda s: s.health(True), False),
        (lambda s: meet(s, "degrade"), True),
        (lambda s: meet(s, "degrade_local_store"), True),
        (lambda s: meet(s, "emergency"), True),
        (lambda s: meet(s, "retry"), False),
        (lambda s: meet(s, "degrade_local_store", "dispatcher"), False),
    ],
)
def test_what_detects_one(story: Story, tell: Any, found: bool) -> None:
    one = only(tell(story.at(5)).at(9).degrade("store"))
    assert one.since == (5 if found else 9) * MS
    assert one.detected.kind != "router.degraded" if found else one.detected is one.degraded


def test_the_note_may_say_that_it_was_earlier(story: Story) -> None:
    assert only(lose(story.at(5)).at(9).degrade(since=3)).since == 3 * MS
    assert only(story).detected.kind == "link.lost"


@pytest.mark.parametrize("sign", [lose, lambda s: s.health(False), lambda s: meet(s, "degrade")])
def test_every_sign_of_trouble_has_the_good_checks_counted_anew(story: Story, sign: Any) -> None:
    one = only(sign(story.degrade().health(True, True)).health(True).recover())
    assert one.good == 1


def test_each_has_its_own_detection(story: Story) -> None:
    lose(story.at(1)).degrade().at(2).health(False).at(3).recover().at(4).health(False).degrade()
    first, second = degradations(story.at(5).observe().trace)
    assert (first.since, first.until) == (1 * MS, 3 * MS)
    assert (second.since, second.until, second.recovered) == (4 * MS, 5 * MS, None)


def test_decisions_count_from_the_detection_on(story: Story) -> None:
    inside(story.at(1))
    inside(lose(story.at(2)).at(3)).at(4).degrade()
    one = only(story)
    assert (one.inside and one.inside.time, one.against) == (3 * MS, None)
    assert one.switched is one.degraded
    inside(inside(story.at(5)).at(6)).at(7).decide(1, (0, 1), (0, 1))
    one = only(story)
    assert [e and e.time for e in (one.inside, one.against)] == [6 * MS, 5 * MS]
    assert one.switched is one.inside


def test_it_outlives_a_restart_until_a_good_check(story: Story) -> None:
    restart(story.degrade().at(1))
    assert only(inside(story)).against
    story.at(2).health(True)
    one = only(inside(story.at(3)))
    assert one.inside
    assert one.inside.time == 1 * MS
    one = only(story.health(True, True).at(4).recover())
    assert (one.good, one.recovered is not None) == (3, True)


def test_after_a_restart_it_may_have_been_forgotten(story: Story) -> None:
    restart(story.degrade("store").at(1)).at(2).health(True)
    inside(story.at(3)).at(4).health(False).at(5).degrade("no_instance")
    first, second = degradations(inside(story.at(6)).trace)
    assert (first.recovered, first.against) == (None, None)
    assert (second.since, second.against and second.against.time) == (4 * MS, 6 * MS)


def test_a_bad_check_that_it_outlived_is_no_other(story: Story) -> None:
    restart(story.degrade()).at(1).health(False)
    assert only(story.at(9).observe()).degraded is not None
    assert only(story.health(True, True, True).recover()).good == 3


def test_what_nobody_was_told_of_ends_with_the_life(story: Story) -> None:
    restart(lose(story.at(1)).at(4))
    one = only(story.at(9).observe())
    assert (one.degraded, one.until, one.switched) == (None, 4 * MS, None)
    assert one.detected.kind == "link.lost"
    restart(story, "dispatcher").at(20)
    assert len(list(degradations(lose(story).trace))) == 2


@given(st.lists(st.sampled_from("gbldrise"), max_size=40))
def test_every_one_that_was_told_is_found_once(new_story: type[Story], steps: list[str]) -> None:
    story = new_story()
    told = {"g": lambda: story.health(True), "b": lambda: story.health(False)}
    told |= {"l": lambda: lose(story), "d": story.degrade, "r": story.recover}
    told |= {"i": lambda: inside(story), "s": lambda: restart(story)}
    told |= {"e": lambda: meet(story, "degrade")}
    for step in steps:
        told[step]()
        story.at(story.now + 1)
    found = list(degradations(story.trace))
    degraded = [one.degraded.seq for one in found if one.degraded is not None]
    assert sorted(degraded) == [e.seq for e in story.trace.of("router.degraded")]
    for one in found:
        assert one.since <= one.until
        for late in (one.against, one.recovered):
            assert late is None or (one.degraded is not None and late > one.degraded)
        assert one.against is None or one.against <= (one.inside or one.against)
