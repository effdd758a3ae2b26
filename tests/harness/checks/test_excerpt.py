"""The excerpt around a violation."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks.excerpt import LIMIT, WHOLE, excerpt

Story = Any  # the class in conftest.py, which cannot be imported


@pytest.fixture
def clash(story: Story) -> Story:
    story.submit("send.0").submit("bye", class_="logout", priority=1).start("send.0")
    story.begin("send.0", "click_search").at(150).over("send.0", "click_search")
    story.start("bye").begin("bye", "click_menu").at(9150).over("bye", "click_menu")
    return story.settle("send.0", "failed", code="WINDOW_NOT_FOUND")


def test_how_it_reads(clash: Story) -> None:
    assert "\n".join(excerpt(clash.trace, (6, 4), 5, whole=0)) == (
        """\
  0.000s  #3  command.started  send.0  click_search of send_text on display
> 0.150s  #4  command.ended    send.0  click_search of send_text on display → done
  0.150s  #5  action.started   bye     logout
> 0.150s  #6  command.started  bye     click_menu of logout on display
  9.150s  #7  command.ended    bye     click_menu of logout on display → done"""
    )


def test_what_lies_between_is_left_out_where_it_is_much(story: Story) -> None:
    story.submit(*(f"a.{n}" for n in range(50))).kill()
    lines = excerpt(story.trace, (50, 3), 6)
    assert lines == (
        "  0.000s   #2  action.submitted  a.2   send_text (priority=2, via=execute)",
        "> 0.000s   #3  action.submitted  a.3   send_text (priority=2, via=execute)",
        "  0.000s   #4  action.submitted  a.4   send_text (priority=2, via=execute)",
        "  … 44 more",
        "  0.000s  #49  action.submitted  a.49  send_text (priority=2, via=execute)",
        "> 0.000s  #50  process.killed    -     on wechat (pid=7)",
    )


def test_times_are_exact_to_the_last_event_shown(story: Story) -> None:
    story.kill()
    story.trace._clock = lambda: 1_500_000_001
    story.kill()
    assert excerpt(story.trace, (0,))[0].startswith("> 0.000000000s  #0")
    assert excerpt(story.trace, (1,))[1].startswith("> 1.500000001s  #1")


def test_nanoseconds_are_shown_as_durations(story: Story) -> None:
    story.record("action.delayed", op="a", details={"delay": 800_000_000})
    story.record("window.opened", details={"left": 15_000_000_000, "pending": 4})
    first, second = excerpt(story.trace, (0,))
    assert first.endswith("(delay=800ms)")
    assert second.endswith("(left=15s, pending=4)")


def test_a_long_story_is_cut(story: Story) -> None:
    story.record("run.ended", details={"reason": "x" * 500})
    (line,) = excerpt(story.trace, (0,))
    assert line.endswith("x…")
    assert len(line) < 100


def numbers(lines: tuple[str, ...]) -> list[int]:
    return [int(line.split("#")[1].split()[0]) for line in lines if "#" in line]


def test_a_short_trace_is_whole(story: Story) -> None:
    story.submit(*(f"a.{n}" for n in range(WHOLE)))
    assert numbers(excerpt(story.trace, (3,))) == list(range(WHOLE))
    assert len(excerpt(story.kill().trace, (WHOLE,))) < WHOLE


def test_what_never_ended_is_shown_from_its_beginning_and_at_the_end_of_all(story: Story) -> None:
    story.submit("lost").start("lost")
    for n in range(20):
        story.submit(f"a.{n}").start(f"a.{n}").settle(f"a.{n}")
    assert numbers(excerpt(story.trace, (0,))) == [0, 1, *range(57, 62)]
    assert excerpt(story.trace, (0,))[2] == "  … 55 more"
    story.settle("lost")
    assert numbers(excerpt(story.trace, (0,))) == list(range(7))


def test_without_a_witness_the_end_is_shown(story: Story) -> None:
    story.submit(*(f"a.{n}" for n in range(50))).record("run.ended", details={"reason": "deadlock"})
    lines = excerpt(story.trace, ())
    assert numbers(lines) == [46, 47, 48, 49, 50]
    assert not any(line.startswith(">") for line in lines)
    assert excerpt(story.trace, (99,)) == ()


@pytest.mark.parametrize("many", [3, 60])
def test_the_start_of_the_bridge_is_left_out(story: Story, many: int) -> None:
    look = {"command": "find", "step": 0}
    begun = {"op": "bridge", "class_": "bridge.start", "resource": "processes"}
    story.record("command.started", **begun, details=look)
    story.record("startup.cleaned").record("watchers.started")
    story.submit(*(f"a.{n}" for n in range(many))).settle("a.1")
    told = numbers(excerpt(story.trace, (4,)))
    assert told[0] == 3
    assert numbers(excerpt(story.trace, (1,)))[0] == 1


def test_the_start_is_not_told_as_left_out(story: Story) -> None:
    story.kill().record("startup.cleaned").record("watchers.started").submit("a").kill()
    assert numbers(excerpt(story.trace, (4,))) == [0, 3, 4]
    assert not any("…" in line for line in excerpt(story.trace, (4,)))


def test_an_empty_trace_has_no_lines(story: Story) -> None:
    assert excerpt(story.trace, ()) == ()


@given(
    steps=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 7)), min_size=1, max_size=60),
    places=st.lists(st.integers(0, 40), min_size=1, max_size=20, unique=True),
    limit=st.integers(3, LIMIT),
)
def test_it_keeps_its_limit_and_shows_the_clash(
    new_story: type[Story], steps: list[tuple[int, int]], places: list[int], limit: int
) -> None:
    story = new_story().play(steps)
    witness = tuple(dict.fromkeys(place % len(story.trace) for place in places))
    lines = excerpt(story.trace, witness, limit, whole=0)
    assert len(lines) <= limit
    shown = [int(line.split("#")[1].split()[0]) for line in lines if "#" in line]
    assert shown == sorted(set(shown))
    assert set(witness[:2]) <= set(shown)
    marked = {int(line.split("#")[1].split()[0]) for line in lines if line.startswith(">")}
    assert marked == set(shown) & set(witness)
    left_out = sum(int(line.split()[1]) for line in lines if "…" in line)
    assert len(shown) + left_out == shown[-1] - shown[0] + 1
