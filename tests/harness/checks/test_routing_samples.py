"""The samples of a router."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks.metrics import METRICS
from windtunnel.checks.samples import Sample
from windtunnel.units import MS

Story = Any  # the class in conftest.py, which cannot be imported


def samples(story: Story, metric: str, *of: str) -> list[Sample]:
    return list(METRICS[metric].samples(story.trace, of))


def found(story: Story, metric: str) -> list[tuple[Any, ...]]:
    """Return of each sample its value in ms, whether it is over, and its fields' values."""
    return [(s.value / MS, s.end is not None, *s.fields.values()) for s in samples(story, metric)]


@pytest.mark.spec("F-R22")
def test_from_a_fault_to_the_degradation(story: Story) -> None:
    story.at(10).fault("f").at(12).fault("g").at(50).degrade("no_heartbeat", 40).at(55).fault("h")
    story.fault("f", "fault.undone").at(60).recover().at(70).fault("i")
    story.at(71).fault("i", "fault.undone").at(80).fault("j").at(99).observe()
    assert found(story, "detection") == [
        (40, True, "kill", "no_heartbeat"),
        (38, True, "kill", "no_heartbeat"),
        (19, False, "kill"),
    ]
    assert [s.start.op for s in samples(story, "detection")] == ["f", "g", "j"]
    assert [s.fits({"reason": "store"}) for s in samples(story, "detection")] == [
        False,
        False,
        None,
    ]


@pytest.mark.spec("RT-H3")
def test_from_the_detection_to_the_router(story: Story) -> None:
    story.at(50).degrade("no_heartbeat", 40).at(60).degrade()
    assert found(story, "switch") == [(10, True, "no_heartbeat"), (0, True, "channel_closed")]


@pytest.mark.spec("RT-H3", "RT-P1")
def test_the_switch_lasts_until_nothing_goes_inside(story: Story) -> None:
    story.at(10).health(False).at(12).decide(1, (1, 0), (1, 0)).at(14).degrade("no_instance")
    story.at(20).decide(2, (2, 2), (2, 0)).at(30).decide(2, (0, 2), (0, 2)).at(40).recover()
    story.at(50).decide(1, (1, 1), (1, 0)).at(60).record(
        "link.lost", details={"why": "closed", "again_in": 0}
    )
    story.at(75).observe()
    assert found(story, "switch") == [(10, True, "no_instance"), (15, False)]
    kinds = [(s.start.kind, s.end and s.end.kind) for s in samples(story, "switch")]
    assert kinds == [("health.checked", "route.decided"), ("link.lost", None)]
    assert samples(story, "switch")[1].fits({"reason": "no_instance"}) is None


@pytest.mark.spec("RT-H4")
def test_times_without_the_inside(story: Story) -> None:
    story.recover().at(5).degrade().at(6).degrade("store").at(9).recover().at(20).degrade("memory")
    story.at(27).observe()
    assert found(story, "degraded") == [(4, True, "channel_closed"), (7, False, "memory")]


@pytest.fixture
def four(story: Story) -> Story:
    """One done inside, one outside, one inside after it was lost outside, one still open."""
    story.submit("t.0", "t.1", "t.2", "t.3", class_="task").at(2).work("t.0")
    story.work("t.1", "external", "external").work("t.2", "external", "external").at(4)
    story.worked("t.0").settle("t.0").worked("t.2", "external", "external", "aborted")
    story.work("t.2").at(6).worked("t.1", "external", "external").settle("t.1").at(8)
    story.worked("t.2").at(9).settle("t.2").worked("t.2", "external", "external")
    return story.work("t.3", "inst-1").at(10).observe()


@pytest.mark.spec("RT-O8")
def test_times_in_the_system_by_who_completed_it(four: Story) -> None:
    assert found(four, "in_system") == [
        (4, True, "internal", "done"),
        (6, True, "external", "done"),
        (9, True, "internal", "done"),
        (10, False, None, None),
    ]
    assert [s.value / MS for s in samples(four, "in_system", "t.1", "t.3")] == [6, 10]
    assert [s.fits({"side": "internal"}) for s in samples(four, "in_system")] == [
        True, False, True, None,
    ]  # fmt: skip


@pytest.mark.spec("RT-O8")
def test_the_share_that_was_completed_outside(four: Story) -> None:
    (share,) = samples(four, "outside_share")
    assert (share.value, share.start.op, share.end and share.end.op) == (1 / 3, "t.0", "t.2")
    assert [s.value for s in samples(four, "outside_share", "t.1")] == [1]
    assert samples(four, "outside_share", "t.3") == []


def test_without_anything_done_there_is_no_share(story: Story) -> None:
    story.submit("a", "b").work("a").worked("a", outcome="failed").close("a", "failed").close("b")
    assert samples(story, "outside_share") == []


def test_how_much_each_place_is_at_work(four: Story) -> None:
    four.record(
        "instance.changed", resource="inst-2", details={"state": "idle", "bridge": "bridge-0"}
    )
    shares = {
        s.fields["instance"]: (s.value, s.fields["side"]) for s in samples(four, "utilisation")
    }
    assert shares == {
        "inst-0": (6 / 10, "internal"),
        "external": (4 / 10, "external"),
        "inst-1": (1 / 10, "internal"),
        "inst-2": (0, "internal"),
    }


def test_at_work_is_from_the_first_submission_to_the_last_end(story: Story) -> None:
    story.at(10).submit("a").at(12).work("a").at(15).worked("a").at(90).observe()
    assert [s.value for s in samples(story, "utilisation")] == [3 / 5]


@pytest.mark.parametrize("tell", [lambda s: s, lambda s: s.submit("a"), lambda s: s.work("a")])
def test_without_work_or_tasks_there_is_no_utilisation(story: Story, tell: Any) -> None:
    assert samples(tell(story), "utilisation") == []
    assert samples(story, "outside_share") == samples(story, "detection") == []


WORKS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 5), st.integers(0, 1)), min_size=1)


@given(WORKS)
def test_utilisation_agrees_with_looking_at_every_instant(
    new_story: type[Story], works: list[tuple[int, int, int]]
) -> None:
    story = new_story().submit("a")
    moments = [(begin, 1, n) for n, (begin, _, _) in enumerate(works)]
    moments += [(begin + length, 2, n) for n, (begin, length, _) in enumerate(works)]
    for at, edge, n in sorted(moments):
        place = f"inst-{works[n][2]}"
        (story.at(at).work if edge == 1 else story.at(at).worked)(f"t.{n}", place)
    last = max(begin + length for begin, length, _ in works)
    expected = {
        f"inst-{place}": sum(
            any(b <= at < b + length and p == place for b, length, p in works) for at in range(last)
        )
        / max(last, 1)
        for place in {place for _, _, place in works}
    }
    shares = {s.fields["instance"]: s.value for s in samples(story, "utilisation")}
    assert shares == (expected if last else {})
