"""The check `recovery`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from windtunnel.checks import Verdict
from windtunnel.units import MS

Story = Any  # the class in conftest.py, which cannot be imported

pytestmark = pytest.mark.spec("RT-H3", "RT-H4")


@pytest.fixture
def recovered(story: Story) -> Story:
    """Degraded at 500, half a second after it was detected, and recovered by the third check."""
    story.health(True).at(500).degrade("no_heartbeat", 0).health(False, True, False)
    return story.health(True, True, True).at(900).recover()


def test_three_good_checks_in_a_row(recovered: Story) -> None:
    result = recovered.check("recovery")
    assert (result.verdict, result.measured) == (Verdict.PASS, 0)
    assert result.message == "1 degradations, 1 recoveries"
    assert recovered.check("recovery", {"healthy_checks": 4}).verdict is Verdict.FAIL
    assert recovered.check("recovery", {"reason": "no_heartbeat"}).verdict is Verdict.PASS
    assert recovered.check("recovery", {"reason": "store"}).verdict is Verdict.VACUOUS


@pytest.mark.spec("RT-P1")
def test_nothing_goes_inside_while_it_is_degraded(recovered: Story) -> None:
    recovered.decide(3, (3, 0), (3, 0)).at(1000).health(False).degrade("no_instance")
    recovered.decide(3, (0, 3), (0, 3)).check("recovery")
    assert recovered.check("recovery").verdict is Verdict.PASS
    result = recovered.at(1001).decide(3, (3, 0), (2, 0)).check("recovery")
    assert (result.verdict, result.measured) == (Verdict.FAIL, 1)
    assert result.message == (
        "2 sent inside at 1.001s; it was degraded (no_instance) at 1s; 1 of 2 degradations"
    )
    assert [recovered.trace[s].kind for s in result.witness] == ["route.decided", "router.degraded"]
    assert recovered.check("recovery", {"reason": "store"}).verdict is Verdict.VACUOUS


@pytest.mark.spec("RT-P1")
def test_the_detection_is_what_was_seen_first(story: Story) -> None:
    story.health(True).at(100).health(False).at(200).health(False).at(1101).degrade("no_instance")
    result = story.check("recovery")
    assert result.message == (
        "degraded (no_instance) at 1.101s, 1.001s after the detection, allowed 1s"
    )
    assert [story.trace[seq].time for seq in result.witness] == [1101 * MS, 100 * MS]
    assert story.check("recovery", {"within": "1001ms"}).verdict is Verdict.VACUOUS


def test_what_was_detected_and_never_told_fails(recovered: Story) -> None:
    recovered.at(1000).health(False).at(1900).observe()
    assert recovered.check("recovery").verdict is Verdict.PASS
    result = recovered.at(2001).observe().check("recovery")
    assert (result.verdict, result.measured) == (Verdict.FAIL, 1)
    assert result.message == (
        "health.checked at 1s, and the router was not told to degrade; 1 of 2 degradations"
    )
    assert recovered.check("recovery", {"reason": "no_heartbeat"}).verdict is Verdict.PASS


def test_too_early_a_recovery_fails_with_both(story: Story) -> None:
    story.health(True, True).degrade().health(True, True).at(3).recover()
    result = story.check("recovery")
    assert (result.verdict, result.measured) == (Verdict.FAIL, 1)
    assert result.message == (
        "recovered at 3ms after 2 good checks in a row, needed 3; "
        "it was degraded (channel_closed) at 0s"
    )
    assert [story.trace[s].kind for s in result.witness] == ["router.recovered", "router.degraded"]


def test_the_router_is_told_within(recovered: Story) -> None:
    assert recovered.check("recovery", {"within": "500ms"}).verdict is Verdict.PASS
    result = recovered.check("recovery", {"within": "499ms"})
    assert (result.verdict, result.measured) == (Verdict.FAIL, 1)
    assert result.message == (
        "degraded (no_heartbeat) at 500ms, 500ms after the detection, allowed 499ms"
    )


def test_late_is_late_though_nothing_recovers(story: Story) -> None:
    story.at(2000).degrade(since=0)
    assert story.check("recovery").verdict is Verdict.FAIL
    assert story.check("recovery", {"within": "2s"}).verdict is Verdict.VACUOUS


def test_each_degradation_counts(recovered: Story) -> None:
    for _ in range(2):
        recovered.degrade().recover()
    result = recovered.check("recovery")
    assert result.measured == 2
    assert result.message.endswith("; 2 of 3 degradations")


@pytest.mark.parametrize(
    ("host", "verdict"), [("backend", Verdict.FAIL), ("dispatcher", Verdict.PASS)]
)
def test_a_restart_of_the_backend_counts_anew(story: Story, host: str, verdict: Verdict) -> None:
    story.degrade().health(True, True).record("host.started", resource=host)
    assert story.health(True).recover().check("recovery").verdict is verdict
    story.degrade().record("host.started", resource=host).health(True, True, True).recover()
    assert story.check("recovery").measured == (host == "backend")


def test_the_first_good_check_of_all_is_no_recovery(story: Story) -> None:
    assert story.health(True).recover().check("recovery").verdict is Verdict.VACUOUS


def test_nothing_that_recovered_is_vacuous(story: Story) -> None:
    assert story.check("recovery").message == "nothing was degraded"
    result = story.degrade().degrade("no_instance").check("recovery")
    assert (result.verdict, result.message) == (Verdict.VACUOUS, "2 degradations, and no recovery")


def test_after_a_limit_only_a_failure_stands(recovered: Story) -> None:
    assert recovered.after_a_limit("recovery").verdict is Verdict.UNKNOWN
    assert recovered.degrade().recover().after_a_limit("recovery").verdict is Verdict.FAIL


@pytest.mark.parametrize("args", [{"healthy_checks": 0}, {"reason": "tired"}, {"within": 1}])
def test_senseless_arguments_are_refused(story: Story, args: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        story.check("recovery", args)


@given(st.lists(st.sampled_from("gbdr"), max_size=30), st.integers(1, 4))
def test_it_agrees_with_looking_back(new_story: type[Story], steps: list[str], needed: int) -> None:
    """Each letter is a good or a bad check, a degradation or a recovery."""
    story = new_story()
    told = {"g": lambda: story.health(True), "b": lambda: story.health(False)}
    told |= {"d": story.degrade, "r": story.recover}
    for step in steps:
        told[step]()
    text, early, ended = "".join(steps), 0, 0
    for place, step in enumerate(steps):
        since = text[:place].rpartition("d")[2] if "d" in text[:place] else "r"
        if step == "r" and "r" not in since:
            ended += 1
            early += len(since) - len(since.rstrip("g")) < needed
    result = story.check("recovery", {"healthy_checks": needed})
    if early:
        assert (result.verdict, result.measured) == (Verdict.FAIL, early)
    else:
        assert result.verdict is (Verdict.PASS if ended else Verdict.VACUOUS)
