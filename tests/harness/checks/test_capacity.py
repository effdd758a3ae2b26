"""The check `capacity`."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from windtunnel.checks import Verdict

Story = Any  # the class in conftest.py, which cannot be imported
STEPS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 11)), max_size=60)

pytestmark = pytest.mark.spec("RT-C2")


@pytest.fixture
def three(story: Story) -> Story:
    """Three operations: a from 0 to 10, b from 2 to 6, c from 6 to 8."""
    story.submit("a", "b", "c", class_="task").start("a").at(2).start("b")
    return story.at(6).start("c").settle("b").at(8).settle("c").at(10).settle("a")


def test_up_to_the_maximum_passes_and_the_next_takes_a_place_as_it_is_left(three: Story) -> None:
    result = three.check("capacity", {"of": "task", "max": 2})
    assert (result.verdict, result.measured) == (Verdict.PASS, 2)


def test_one_more_fails_with_both(three: Story) -> None:
    result = three.check("capacity", {"max": 1})
    assert (result.verdict, result.measured) == (Verdict.FAIL, 2)
    assert result.message == "2 ran at once, with b at 2ms, allowed 1"
    assert [three.trace[seq].op for seq in result.witness] == ["b", "a"]


def test_what_never_ends_runs_on(story: Story) -> None:
    story.submit("a", "b").start("a").at(900).start("b")
    assert story.check("capacity", {"max": 1}).verdict is Verdict.FAIL


def test_only_the_operations_named_take_a_place(three: Story) -> None:
    assert three.check("capacity", {"of": ["b", "c"], "max": 1}).verdict is Verdict.PASS
    assert three.check("capacity", {"of": "send_text", "max": 0}).verdict is Verdict.VACUOUS


def test_an_operation_of_no_length_takes_a_place_for_its_instant(story: Story) -> None:
    story.submit("a", "b").start("a").at(3).start("b").settle("b").at(5).settle("a")
    assert story.check("capacity", {"max": 1}).measured == 2


@pytest.fixture
def broken(story: Story) -> Story:
    """Three run at 0, a fault at 10, and one after the other they end: at 12, 15 and 20."""
    story.submit("a", "b", "c").start("a").start("b").start("c").at(10).fault()
    return story.at(12).settle("a").at(15).settle("b").at(20).settle("c")


@pytest.mark.parametrize(
    ("args", "verdict", "measured"),
    [
        ({"after_fault_max": 2, "settle": "2ms"}, Verdict.PASS, 3),
        ({"after_fault_max": 1, "settle": "2ms"}, Verdict.FAIL, 2),
        ({"after_fault_max": 2, "settle": "1ms"}, Verdict.FAIL, 3),
        ({"after_fault_max": 2}, Verdict.FAIL, 3),
        ({"after_fault_max": 0, "settle": "10ms"}, Verdict.PASS, 3),
        ({"after_fault_max": 0, "settle": "11ms"}, Verdict.VACUOUS, 3),
    ],
)
def test_after_the_fault_fewer_may_run(
    broken: Story, args: dict[str, Any], verdict: Verdict, measured: int
) -> None:
    result = broken.check("capacity", {"max": 3, **args})
    assert (result.verdict, result.measured) == (verdict, measured)
    if verdict is Verdict.FAIL:
        assert "after the fault" in result.message


def test_before_the_fault_the_first_bound_holds(broken: Story) -> None:
    assert broken.check("capacity", {"max": 2, "after_fault_max": 9}).verdict is Verdict.FAIL


def test_a_start_after_the_fault_takes_a_place_too(broken: Story) -> None:
    broken.at(30).submit("d", "e").start("d").start("e")
    args = {"max": 3, "after_fault_max": 1, "settle": "5ms"}
    assert broken.check("capacity", args).measured == 2


def test_no_fault_leaves_the_second_bound_unchecked(three: Story) -> None:
    assert three.check("capacity", {"max": 2, "after_fault_max": 0}).verdict is Verdict.VACUOUS
    assert three.check("capacity", {"max": 1, "after_fault_max": 0}).verdict is Verdict.FAIL


def test_nothing_started_is_vacuous(story: Story) -> None:
    assert story.submit("a").check("capacity", {"max": 0}).verdict is Verdict.VACUOUS


def test_after_a_limit_only_a_failure_stands(three: Story) -> None:
    assert three.after_a_limit("capacity", {"max": 2}).verdict is Verdict.UNKNOWN
    assert three.after_a_limit("capacity", {"max": 1}).verdict is Verdict.FAIL


@pytest.fixture
def drop(story: Story) -> Story:
    """Four are assigned and worked on; a fault at 100 takes two, which are released at 700."""
    ops = [f"t.{number}" for number in range(4)]
    story.submit(*ops, class_="task")
    for number, op in enumerate(ops):
        story.sent(op).assign(op, f"inst-{number}").work(op, f"inst-{number}")
    story.at(100).fault()
    for number in (0, 2):
        story.worked(f"t.{number}", f"inst-{number}", outcome="aborted")
    story.at(700)
    for number in (0, 2):
        story.release(f"t.{number}", f"inst-{number}", "lost")
    return story.at(1000).release("t.1", "inst-1").worked("t.1", "inst-1").settle("t.1")


@pytest.mark.parametrize(
    ("args", "verdict", "measured"),
    [
        ({"view": "dispatcher", "after_fault_max": 2, "settle": "600ms"}, Verdict.PASS, 4),
        ({"view": "dispatcher", "after_fault_max": 2, "settle": "599ms"}, Verdict.FAIL, 4),
        ({"view": "dispatcher", "after_fault_max": 1, "settle": "600ms"}, Verdict.FAIL, 2),
        ({"view": "dispatcher", "max": 3}, Verdict.FAIL, 4),
        ({"view": "world", "after_fault_max": 2}, Verdict.PASS, 4),
        ({"view": "backend", "after_fault_max": 3, "settle": "600ms"}, Verdict.FAIL, 4),
        ({"view": "backend", "of": "external"}, Verdict.VACUOUS, None),
    ],
)
def test_tasks_on_a_side_as_a_party_sees_it(
    drop: Story, args: dict[str, Any], verdict: Verdict, measured: int | None
) -> None:
    result = drop.check("capacity", {"of": "internal", "max": 4, **args})
    assert (result.verdict, result.measured) == (verdict, measured)


def test_what_is_said_of_a_view(drop: Story) -> None:
    said = [
        drop.check("capacity", {"of": "internal", "view": view, **args}).message
        for view, args in [
            ("dispatcher", {"max": 3}),
            ("world", {"max": 4, "after_fault_max": 1}),
            ("dispatcher", {"max": 4}),
            ("world", {"max": 4, "after_fault_max": 2}),
        ]
    ]
    assert said == [
        "4 ran at once inside, seen by the dispatcher, with t.3 at 0s, allowed 3",
        "2 ran at once inside, seen by the world after the fault, with t.1 at 0s, allowed 1",
        "at most 4 at once inside, seen by the dispatcher",
        "at most 4 at once inside, seen by the world, 2 after the fault",
    ]
    nothing = drop.check("capacity", {"of": "external", "view": "world", "max": 0})
    assert nothing.message == "nothing started outside, seen by the world"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({"view": "world"}, "`view` is on a side: give `of`, too, internal or external"),
        ({"view": "world", "of": "task"}, "with `view`, `of` is a side: internal or external"),
        ({"view": "world", "of": ["internal"]}, "with `view`, `of` is a side"),
        ({"view": "dispatcher", "of": "external"}, "sees nothing of the external side"),
        ({"view": "bridge", "of": "internal"}, "Input should be 'world', 'dispatcher' or"),
    ],
)
def test_a_view_is_on_a_side(story: Story, args: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        story.check("capacity", {"max": 1, **args})


@pytest.mark.parametrize(
    "args", [{}, {"max": -1}, {"max": 1, "settle": "1s"}, {"max": 1, "after_fault_max": -1}]
)
def test_senseless_arguments_are_refused(story: Story, args: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        story.check("capacity", args)


def at_once(spans: list[tuple[int, float]], instants: list[int]) -> int:
    """Return the most that run at one of these instants, by looking at every pair."""
    most = 0
    for instant in instants:
        inside = sum(begin <= instant < end for begin, end in spans)
        passing = any(begin == instant == end for begin, end in spans)
        before = sum(begin < instant < end for begin, end in spans)
        most = max(most, inside, before + passing)
    return most


@given(STEPS, st.integers(0, 60), st.integers(0, 4), st.integers(0, 3), st.integers(0, 3))
def test_it_agrees_with_counting_at_every_instant(
    new_story: type[Story],
    steps: list[tuple[int, int]],
    place: int,
    settle: int,
    most: int,
    later: int,
) -> None:
    story = new_story().play(steps[:place]).fault().play(steps[place:])
    times = {(e.kind, e.op): e.time // 1_000_000 for e in reversed(list(story.trace))}
    begun = {op: time for (kind, op), time in times.items() if kind == "action.started"}
    spans = [(b, times.get(("action.settled", op), float("inf"))) for op, b in begun.items()]
    end = story.trace[-1].time // 1_000_000
    bound_at = times["fault.injected", "fault-0"] + settle
    args = {"max": most, "after_fault_max": later, "settle": f"{settle}ms"}
    result = story.check("capacity", args)
    if not spans:
        assert result.verdict is Verdict.VACUOUS
        return
    before = at_once(spans, list(range(min(bound_at, end + 1))))
    after = at_once(spans, list(range(bound_at, end + 1)))
    if before > most:
        assert (result.verdict, result.measured) == (Verdict.FAIL, max(before, after))
    elif bound_at > end:
        assert (result.verdict, result.measured) == (Verdict.VACUOUS, before)
    elif after > later:
        assert (result.verdict, result.measured) == (Verdict.FAIL, after)
    else:
        assert (result.verdict, result.measured) == (Verdict.PASS, max(before, after))
