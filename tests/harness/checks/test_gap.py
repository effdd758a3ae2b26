"""The check `gap`."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.checks import Verdict

Story = Any  # the class in conftest.py, which cannot be imported

pytestmark = pytest.mark.spec("UI-Q4")


@pytest.fixture
def three(story: Story) -> Story:
    """Two sends with 3 s between them, a log-out 1 s after the second."""
    story.submit("a.0", "a.1").submit("bye", class_="logout").start("a.0").at(1000).close("a.0")
    story.at(4000).start("a.1").at(5000).answer("a.1", "unknown").at(6000).settle("a.1")
    return story.at(7000).start("bye").at(8000).close("bye")


def test_the_shortest_gap_is_measured_from_the_operations_own_end(three: Story) -> None:
    result = three.check("gap", {"min": "1s"})
    assert (result.verdict, result.measured) == (Verdict.PASS, 1)


def test_too_short_a_gap_fails(three: Story) -> None:
    result = three.check("gap", {"min": "3s"})
    assert (result.verdict, result.measured) == (Verdict.FAIL, 1)
    assert [three.trace[seq].op for seq in result.witness] == ["bye", "a.1"]
    assert result.message == "bye started at 7s, 1s after a.1 ended, expected at least 3s"


def test_of_names_those_after_which_it_is_measured(three: Story) -> None:
    assert three.check("gap", {"of": "a.0", "min": "3s"}).verdict is Verdict.PASS
    assert three.check("gap", {"of": "logout", "min": "3s"}).verdict is Verdict.VACUOUS


def test_refused_operations_are_passed_over(three: Story) -> None:
    three.submit("a.2").close("a.2", "rejected").at(11_000).submit("a.3").start("a.3")
    assert three.check("gap", {"of": "logout", "min": "3s"}).measured == 3


def test_a_start_before_the_end_is_a_negative_gap(story: Story) -> None:
    story.submit("a.0", "a.1").start("a.0").at(1).start("a.1").at(3).settle("a.0")
    result = story.check("gap", {"min": "0s"})
    assert (result.verdict, result.measured) == (Verdict.FAIL, -0.002)


def test_after_a_limit_only_a_failure_stands(three: Story) -> None:
    assert three.after_a_limit("gap", {"min": "1s"}).verdict is Verdict.UNKNOWN
    assert three.after_a_limit("gap", {"min": "2s"}).verdict is Verdict.FAIL
