"""The typing of a cell: every part lands in its field, and axes set the fields of their name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from windtunnel.scenario.cells import Cell
from windtunnel.scenario.expanding.typing_memo import Memo
from windtunnel.units import MINUTE, MS, SECOND
from windtunnel.world import Limits

Expand = Callable[..., tuple[Cell, ...]]

FULL = """\
format: 1
name: full
summary: everything
tags: [a, b]
covers: [UI-Q1]
system: toy
policy: {base: listed, limit: $limit}
scheduler: my.module:Class
seed: 3
let: {limit: 7, speed: 2s}
given: {speed: $speed, lanes: {count: 4}}
timeline:
  - {at: 0s, submit: ping}
settle: 5ms
until: 1min
observe: {at: $speed}
limits: {sim: 2min, wall: 3s, events: 10}
ties: fifo
expect:
  - conservation: {}
"""


def test_every_field(cells: Expand) -> None:
    (cell,) = cells(FULL, allow_code=True)
    given: Any = cell.given
    assert (cell.scenario, cell.name, cell.file, cell.line) == ("full", "full", "x.yaml", 1)
    assert (cell.world, cell.system, cell.axes) == ("sim", "toy", {})
    assert (cell.policy, cell.policy_options.limit) == ("listed", 7)
    assert (cell.scheduler, cell.seed) == ("my.module:Class", 3)
    assert (given.speed, given.lanes.count) == (2 * SECOND, 4)
    assert (cell.settle, cell.until, cell.observe_at) == (5 * MS, MINUTE, 2 * SECOND)
    assert cell.limits == Limits(2 * MINUTE, 3 * SECOND, 10)
    assert cell.variables == {"limit": 7, "speed": "2s"}
    assert (cell.covers, cell.tags) == (("UI-Q1",), ("a", "b"))


def test_defaults(cells: Expand) -> None:
    (cell,) = cells("format: 1\nname: bare\nsystem: toy\nexpect: [conservation: {}]\n")
    assert (cell.policy, cell.scheduler, cell.seed, cell.timeline) == ("specified", None, 0, ())
    assert (cell.settle, cell.until, cell.observe_at, cell.limits) == (0, None, None, Limits())


def test_an_empty_given_is_all_defaults(cells: Expand) -> None:
    (cell,) = cells("format: 1\nname: bare\nsystem: toy\ngiven:\nexpect: [conservation: {}]\n")
    assert cell.given.speed == SECOND


AXES = """\
format: 1
name: axes
system: toy
policy: {limit: 2}
matrix:
  policy: [listed, specified]
  scheduler: [null, 'a.b:C']
  seed: [1, 2]
expect: [conservation: {}]
"""


def test_axes_set_the_fields_of_their_name(cells: Expand) -> None:
    found = [(c.policy, c.scheduler, c.seed) for c in cells(AXES, allow_code=True)]
    assert found == [
        ("listed", None, 1),
        ("listed", None, 2),
        ("listed", "a.b:C", 1),
        ("listed", "a.b:C", 2),
        ("specified", None, 1),
        ("specified", None, 2),
        ("specified", "a.b:C", 1),
        ("specified", "a.b:C", 2),
    ]


def test_the_command_line_takes_the_place_of_axes_and_fields(cells: Expand) -> None:
    (cell,) = cells(AXES, policy="specified", scheduler="d.e:F", seed=9)
    assert (cell.policy, cell.scheduler, cell.seed) == ("specified", "d.e:F", 9)
    assert cell.policy_options.limit == 2
    assert cell.name == "axes[policy=specified,scheduler=d.e:F,seed=9]"
    (cell,) = cells(FULL, policy="specified", scheduler="d.e:F", seed=0)
    assert (cell.policy, cell.scheduler, cell.seed) == ("specified", "d.e:F", 0)


def test_mistakes_on_an_axis_are_told_at_the_value(refusals: Callable[..., list[str]]) -> None:
    text = AXES.replace("specified]", "hardened]").replace("[1, 2]", "[1, x]")
    assert refusals(text) == [
        (
            "6:20 `toy` has no policy `hardened` (known: listed, specified) "
            "[in [policy=hardened,scheduler=null,seed=1] and 3 more]"
        ),
        (
            "7:21 the scheduler a.b:C is code; --allow-code lets a file load it "
            "[in [policy=listed,scheduler=a.b:C,seed=1] and 1 more]"
        ),
        (
            "8:13 a whole number is needed here, not 'x' "
            "[in [policy=listed,scheduler=null,seed=x] and 3 more]"
        ),
    ]


def test_what_no_cell_differs_in_is_typed_once(cells: Expand, monkeypatch: Any) -> None:
    makes = []
    make = Memo.typed

    def counted(self: Memo, part: Any, values: Any, made: Any, *also: Any) -> Any:
        def count(data: Any) -> Any:
            makes.append(part)
            return made(data)

        return make(self, part, values, count, *also)

    monkeypatch.setattr(Memo, "typed", counted)
    rows = ", ".join(f"[{n}]" for n in range(50))
    text = FULL.replace("let:", f"cases: {{inputs: [n], rows: [{rows}]}}\nlet:")
    text = text.replace("{at: 0s, submit: ping}", "{at: 0s, submit: job, args: {name: n-$n}}")
    assert len(cells(text, allow_code=True)) == 50
    assert len(makes) == 4 + 2 * 50  # run, policy, given, expect; the entry's data and the entry
