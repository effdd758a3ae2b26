"""The check `mutual_exclusion`."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks import Verdict

Story = Any  # the class in conftest.py, which cannot be imported
DISPLAY = {"resource": "display"}

pytestmark = pytest.mark.spec("UI-L1")


def test_one_after_the_other_passes_at_the_same_instant_too(story: Story) -> None:
    story.begin("a").at(5).over("a").begin("b").at(9).over("b")
    result = story.check("mutual_exclusion", DISPLAY)
    assert (result.verdict, result.measured, result.witness) == (Verdict.PASS, 0, ())


def test_the_end_recorded_after_the_next_start_at_one_instant_is_no_overlap(story: Story) -> None:
    story.begin("a").at(5).begin("b").over("a").at(9).over("b")
    assert story.check("mutual_exclusion", DISPLAY).verdict is Verdict.PASS


def test_an_overlap_fails_and_names_both(story: Story) -> None:
    story.begin("send.1", "type_text").at(3).begin("bye", "click_menu")
    story.at(5).over("send.1", "type_text").at(8).over("bye", "click_menu")
    result = story.check("mutual_exclusion", DISPLAY)
    assert (result.verdict, result.measured) == (Verdict.FAIL, 1)
    assert result.witness == (0, 1, 2, 3)
    assert "click_menu of bye (3ms to 8ms)" in result.message
    assert "type_text of send.1 (0s to 5ms)" in result.message


def test_an_instant_inside_another_command_overlaps_and_one_at_its_edge_does_not(
    new_story: type[Story],
) -> None:
    inside = new_story().begin("a").at(3).begin("b").over("b").at(5).over("a")
    edge = new_story().begin("a").begin("b").over("b").at(5).over("a")
    assert inside.check("mutual_exclusion", DISPLAY).measured == 1
    assert edge.check("mutual_exclusion", DISPLAY).verdict is Verdict.PASS


def test_a_command_that_never_ended_lasts_to_the_end(story: Story) -> None:
    story.begin("a").at(50).begin("b").over("b")
    result = story.check("mutual_exclusion", DISPLAY)
    assert result.verdict is Verdict.FAIL
    assert "click of a (0s to the end of the run)" in result.message


def test_an_end_without_a_start_ends_nothing(story: Story) -> None:
    story.begin("a").at(1).over("b").begin("c")
    assert story.check("mutual_exclusion", DISPLAY).verdict is Verdict.FAIL


def test_the_end_of_another_step_of_its_operation_does_not_end_it(story: Story) -> None:
    story.begin("send.0", step=0).over("send.0", step=1).at(1).begin("bye").over("bye")
    result = story.check("mutual_exclusion")
    assert (result.verdict, result.measured) == (Verdict.FAIL, 1)


def test_two_steps_of_one_operation_clash_as_well(story: Story) -> None:
    story.begin("a", step=0).at(1).begin("a", step=1).at(2).over("a", step=0).over("a", step=1)
    assert story.check("mutual_exclusion", DISPLAY).measured == 1


def test_another_resource_is_another_matter(story: Story) -> None:
    story.begin("a").begin("b", on="disk").at(5).over("a").over("b", on="disk")
    assert story.check("mutual_exclusion", DISPLAY).verdict is Verdict.PASS
    assert story.check("mutual_exclusion", {"resource": "fax"}).verdict is Verdict.VACUOUS


def test_after_a_limit_only_a_failure_stands(new_story: type[Story]) -> None:
    good = new_story().begin("a").at(5).over("a")
    bad = new_story().begin("a").at(1).begin("b")
    assert good.after_a_limit("mutual_exclusion").verdict is Verdict.UNKNOWN
    assert bad.after_a_limit("mutual_exclusion").verdict is Verdict.FAIL


def overlapping_pairs(intervals: list[tuple[int, int]]) -> int:
    pairs = combinations(intervals, 2)
    return sum(1 for (a, b), (c, d) in pairs if a < d and c < b)


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 6)), min_size=1, max_size=10))
def test_it_agrees_with_comparing_every_pair(
    new_story: type[Story], spans: list[tuple[int, int]]
) -> None:
    intervals = [(begin, begin + length) for begin, length in spans]
    moments = [(begin, 0, n) for n, (begin, _) in enumerate(intervals)]
    moments += [(end, 1, n) for n, (_, end) in enumerate(intervals)]
    story = new_story()
    for time, ends, number in sorted(moments):
        step = story.at(time).over if ends else story.at(time).begin
        step(f"op.{number}")
    result = story.check("mutual_exclusion", DISPLAY)
    expected = overlapping_pairs(intervals)
    assert result.measured == expected
    assert result.verdict is (Verdict.FAIL if expected else Verdict.PASS)


@pytest.mark.spec("UI-C2")
def test_a_probe_beside_a_command_of_its_own_request_overlaps(story: Story) -> None:
    """Both bear the request's id, and both count their steps from 0."""
    story.begin("r", "click_search").at(2).begin("r", "login_state", class_="probe")
    story.at(4).over("r", "login_state", class_="probe").at(9).over("r", "click_search")
    result = story.check("mutual_exclusion")
    assert (result.verdict, result.measured) == (Verdict.FAIL, 1)
    assert "login_state of r (2ms to 4ms)" in result.message
    assert "click_search of r (0s to 9ms)" in result.message


@pytest.mark.spec("UI-C8")
def test_a_capture_without_the_lock_overlaps(story: Story) -> None:
    story.begin("send", "click_search").at(2).begin("shot", "screenshot").at(4)
    story.over("send", "click_search").over("shot", "screenshot")
    assert story.check("mutual_exclusion").measured == 1


def test_a_capture_that_hangs_lasts_to_the_end(story: Story) -> None:
    story.begin("shot", "screenshot").at(9000).begin("send", "click").over("send", "click")
    assert "9s" in story.check("mutual_exclusion").message
    assert story.check("mutual_exclusion").measured == 1
