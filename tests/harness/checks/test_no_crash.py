"""The check `no_crash`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks import Verdict

Story = Any  # the class in conftest.py, which cannot be imported
CHECK = "no_crash"

pytestmark = pytest.mark.spec("RT-X2")


def crash(story: Story, host: str, why: str, **more: str) -> Story:
    return story.record("host.crashed", resource=host, details={"why": why, **more})


@pytest.fixture
def killed(story: Story) -> Story:
    """Two programs, one of which a fault has killed."""
    for host in ("backend", "dispatcher"):
        story.record("host.started", resource=host)
    return crash(story.at(5), "dispatcher", "killed")


def test_a_fault_that_kills_is_no_fault_of_the_program(killed: Story) -> None:
    result = killed.check(CHECK)
    assert (result.verdict, result.measured) == (Verdict.PASS, 0)
    assert result.message == "none of 2 programs crashed so"


def test_a_program_that_raises_fails_with_the_error(killed: Story) -> None:
    story = crash(killed.at(7), "backend", "raised", error="ValueError")
    result = crash(story.at(9), "dispatcher", "raised", error="KeyError").check(CHECK)
    assert (result.verdict, result.measured) == (Verdict.FAIL, 2)
    assert result.message == "the program of backend raised ValueError at 7ms; then 1 more"
    assert [story.trace[seq].resource for seq in result.witness] == ["backend", "dispatcher"]


@pytest.mark.parametrize("why", ["killed", "any"])
def test_kills_count_where_they_are_asked_for(killed: Story, why: str) -> None:
    result = killed.check(CHECK, {"why": why})
    assert (result.verdict, result.measured) == (Verdict.FAIL, 1)
    assert result.message == "the program of dispatcher was killed at 5ms"


def test_without_programs_it_is_vacuous(story: Story) -> None:
    assert story.check(CHECK).verdict is Verdict.VACUOUS


def test_after_a_limit_it_cannot_be_told(killed: Story) -> None:
    assert killed.after_a_limit(CHECK).verdict is Verdict.UNKNOWN
    crash(killed, "backend", "raised", error="ValueError")
    assert killed.after_a_limit(CHECK).verdict is Verdict.FAIL


@given(whys=st.lists(st.sampled_from(["raised", "killed"])))
def test_for_all_runs_the_measure_is_the_count(new_story: type[Story], whys: list[str]) -> None:
    story = new_story().record("host.started", resource="a")
    for why in whys:
        crash(story, "a", why, **({"error": "E"} if why == "raised" else {}))
    for asked in ("raised", "killed", "any"):
        count = sum(asked in ("any", why) for why in whys)
        assert story.check(CHECK, {"why": asked}).measured == count
