"""The excerpt around a violation."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.checks.excerpt import LIMIT, excerpt

Story = Any  # the class in conftest.py, which cannot be imported


@pytest.fixture
def clash(story: Story) -> Story:
    story.submit("send.0").submit("bye", class_="logout", priority=1).start("send.0")
    story.begin("send.0", "click_search").at(150).over("send.0", "click_search")
    story.start("bye").begin("bye", "click_menu").at(9150).over("bye", "click_menu")
    return story.settle("send.0", "failed", code="WINDOW_NOT_FOUND")


def test_how_it_reads(clash: Story) -> None:
    assert "\n".join(excerpt(clash.trace, (6, 4), 5)) == (
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


def test_no_witness_no_lines(clash: Story) -> None:
    assert excerpt(clash.trace, ()) == ()
    assert excerpt(clash.trace, (99,)) == ()


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
    lines = excerpt(story.trace, witness, limit)
    assert len(lines) <= limit
    shown = [int(line.split("#")[1].split()[0]) for line in lines if "#" in line]
    assert shown == sorted(set(shown))
    assert set(witness[:2]) <= set(shown)
    marked = {int(line.split("#")[1].split()[0]) for line in lines if line.startswith(">")}
    assert marked == set(shown) & set(witness)
    left_out = sum(int(line.split()[1]) for line in lines if "…" in line)
    assert len(shown) + left_out == shown[-1] - shown[0] + 1
