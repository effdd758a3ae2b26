"""The timeline of a cell: typed entries, and the operations that they make."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest

from windtunnel.errors import ScenarioError
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.expanding.cell_timeline import FixedArgs
from windtunnel.units import MS, SECOND

Expand = Callable[..., tuple[Cell, ...]]

HEAD = "format: 1\nname: probe\nsystem: toy\nexpect: [conservation: {}]\n"


def test_times_in_nanoseconds(cells: Expand) -> None:
    text = """\
    timeline:
      - {at: 1s, submit: ping, id: p, repeat: 3, every: 5ms}
      - {after: p.1.settled, plus: 2ms, submit: ping, id: q}
    """
    (cell,) = cells(HEAD, text)
    first, second = cell.timeline
    assert (first.at, first.after, first.plus, first.repeat, first.every) == (
        SECOND,
        None,
        0,
        3,
        5 * MS,
    )
    assert (first.line, second.line) == (6, 7)
    assert second.at is None
    assert second.after is not None
    assert (second.after.text, second.plus, second.repeat, second.every) == (
        "p.1.settled",
        2 * MS,
        1,
        0,
    )


def test_operations_of_a_repeat(cells: Expand) -> None:
    text = """\
    timeline:
      - {at: 0s, submit: job, id: a, repeat: 3, wait: 1s, args: {name: job-$i, size: $i}}
    """
    (cell,) = cells(HEAD, text)
    template = cell.timeline[0].template
    made = [template.make(number) for number in range(3)]
    assert [operation.id for operation in made] == ["a.0", "a.1", "a.2"]
    assert [operation.args.name for operation in made] == ["job-0", "job-1", "job-2"]
    assert [operation.args.size for operation in made] == [0, 1, 2]
    assert made[0].options.wait == SECOND


def test_a_repeat_of_one_is_still_a_repeat(cells: Expand) -> None:
    text = """\
    timeline:
      - {at: 0s, submit: ping, id: a, repeat: 1}
      - {after: a.0.settled, submit: ping, id: b}
    """
    (cell,) = cells(HEAD, text)
    assert [entry.template.make(0).id for entry in cell.timeline] == ["a.0", "b"]


def test_arguments_without_a_number_are_made_once(cells: Expand) -> None:
    (cell,) = cells(
        HEAD, "timeline:\n  - {at: 0s, submit: job, id: a, repeat: 3, args: {name: x}}\n"
    )
    template = cell.timeline[0].template
    assert isinstance(template.make_args, FixedArgs)
    assert template.make(0).args is template.make(2).args


def test_args_may_be_left_out_where_the_system_says_so(cells: Expand) -> None:
    (cell,) = cells(HEAD, "timeline:\n  - {at: 0s, submit: job}\ngiven: {nap: 1s}\n")
    assert cell.timeline[0].template.make(0).args is None
    (cell,) = cells(
        HEAD, "timeline:\n  - {at: 0s, submit: job, args: {name: x}}\ngiven: {nap: 1s}\n"
    )
    assert cell.timeline[0].template.make(0).args.name == "x"


def test_a_class_without_arguments_needs_none(cells: Expand) -> None:
    (cell,) = cells(HEAD, "timeline:\n  - {at: 0s, submit: ping}\n")
    assert cell.timeline[0].template.make(0).args is not None


def test_the_last_of_a_repeat_is_checked_too(refusals: Callable[..., list[str]]) -> None:
    text = """\
    timeline:
      - {at: 0s, submit: ping, id: p, repeat: 2}
      - {at: 0s, call: clock.stop, id: s, repeat: 3, args: {of: p.$i}}
    """
    assert refusals(HEAD, text) == [
        "7:61 `p` has no operation 2: the last of 2 is p.1 (from `p.$i`)"
    ]


def test_what_only_the_operation_itself_shows_is_told_with_its_place(cells: Expand) -> None:
    text = """\
    timeline:
      - {at: 0s, submit: ping, id: p0}
      - {at: 0s, submit: ping, id: p2}
      - {at: 0s, call: clock.stop, id: s, repeat: 3, args: {of: p$i}}
    """
    (cell,) = cells(HEAD, text)
    template = cell.timeline[2].template
    assert template.make(2).args.of == "p2"
    with pytest.raises(ScenarioError, match=r"x.yaml:8:61: error: no entry .* `p1`"):
        template.make(1)


def test_a_cell_goes_to_another_process(cells: Expand) -> None:
    text = "system: ui\nexpect: [conservation: {}]\ntimeline:\n"
    text += "  - {at: 0s, submit: send_text, id: a, repeat: 3, args: {to: room-$i, text: x}}\n"
    (cell,) = cells("format: 1\nname: probe\n" + text)
    copied: Cell = pickle.loads(pickle.dumps(cell))  # noqa: S301 - what was just pickled
    assert copied.timeline[0].template.make(2) == cell.timeline[0].template.make(2)


def test_a_chain_of_entries_is_not_circular(cells: Expand) -> None:
    text = """\
    timeline:
      - {at: 0s, submit: ping, id: a}
      - {after: a.settled, submit: ping, id: b}
      - {after: b.settled, submit: ping, id: c}
      - {after: a.settled, submit: ping, id: d}
    """
    assert len(cells(HEAD, text)) == 1


def test_a_circle_further_up_is_told_for_its_own_entries_alone(
    refusals: Callable[..., list[str]],
) -> None:
    text = """\
    timeline:
      - {after: b.settled, submit: ping, id: a}
      - {after: a.settled, submit: ping, id: b}
      - {after: a.settled, submit: ping, id: c}
    """
    assert refusals(HEAD, text) == [
        "6:13 `a` waits for itself: a after b after a",
        "7:13 `b` waits for itself: b after a after b",
    ]
