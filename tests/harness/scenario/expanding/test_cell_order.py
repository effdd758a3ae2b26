"""The order of a cell: what is held until what, and circles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from windtunnel.errors import ScenarioError
from windtunnel.scenario.cells import Cell

Expand = Callable[..., tuple[Cell, ...]]
Refusals = Callable[..., list[str]]

HEAD = """\
format: 1
name: probe
system: toy
expect: [conservation: {}]
timeline:
  - {at: 0s, submit: job, id: a, args: {name: x}}
  - {at: 0s, submit: job, id: b, repeat: 2, args: {name: x}}
  - {after: a.settled, submit: ping, id: c}
"""


def order(*pairs: Sequence[str]) -> str:
    return f"order: [{', '.join(f'[{first}, {then!r}]' for first, then in pairs)}]\n"


def test_pairs_are_resolved(cells: Expand) -> None:
    text = order(("a.settled", "b.1.submitted"), ("b.0.open", "a.work#2.begin"))
    (cell,) = cells(HEAD, text)
    assert [(held.line, held.first.text, held.then.text) for held in cell.order] == [
        (9, "a.settled", "b.1.submitted"),
        (9, "b.0.open", "a.work#2.begin"),
    ]


def test_a_pair_may_name_variables(cells: Expand) -> None:
    text = "matrix: {which: [b.0, b.1]}\norder: [[a.settled, $which.submitted]]\n"
    assert [cell.order[0].then.index for cell in cells(HEAD, text)] == [0, 1]


def test_an_event_of_any_kind_may_come_first(cells: Expand) -> None:
    (cell,) = cells(HEAD, order(("kind:process.killed", "b.0.submitted")))
    assert cell.order[0].first.kind == "process.killed"


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("a.submitted", "a.submitted"),
        ("a.started", "a.submitted"),
        ("a.open", "a.submitted"),
        ("a.settled", "a.close.begin"),
        ("a.answered", "a.close.begin"),
        ("a.work", "a.work.begin"),
        ("a.work#2", "a.work.begin"),
        ("a.work#2.begin", "a.work#2.begin"),
        ("c.submitted", "a.submitted"),
        ("c.settled", "a.close.begin"),
    ],
)
def test_what_cannot_come_before_itself(refusals: Refusals, first: str, then: str) -> None:
    (told,) = refusals(HEAD, order((first, then)))
    assert told == f"9:9 `{then}` waits for `{first}`, which cannot come before it"


@pytest.mark.parametrize(
    ("first", "then"),
    [
        ("a.submitted", "a.open.begin"),
        ("a.started", "a.open.begin"),
        ("a.open", "a.work.begin"),
        ("a.work", "a.work#2.begin"),
        ("a.settled", "c.submitted"),
        ("b.0.settled", "b.1.submitted"),
        ("b.1.settled", "b.0.submitted"),
        ("a.close.begin", "b.0.open.begin"),
    ],
)
def test_what_can(cells: Expand, first: str, then: str) -> None:
    assert len(cells(HEAD, order((first, then)))) == 1


def test_pairs_that_wait_for_each_other_are_told_once(refusals: Refusals) -> None:
    text = order(("a.settled", "b.0.open.begin"), ("b.0.close", "a.work.begin"))
    (told,) = refusals(HEAD, text)
    assert told.startswith("9:9 these wait for each other: ")
    assert "b.0.open.begin after a.settled" in told
    assert "a.work.begin after b.0.close" in told


def test_every_circle_is_told(refusals: Refusals) -> None:
    text = order(
        ("a.settled", "b.0.submitted"),
        ("b.0.settled", "a.submitted"),
        ("b.1.settled", "b.1.submitted"),
    )
    assert [line.split(" ", 1)[0] for line in refusals(HEAD, text)] == ["9:9", "9:69"]


def test_a_circle_of_entries_is_told_before_any_of_pairs(refusals: Refusals) -> None:
    text = "  - {after: d.settled, submit: ping, id: d}\n" + order(("d.settled", "d.submitted"))
    assert refusals(HEAD, text) == ["9:13 `d` waits for itself: d after d"]


def test_the_sends_of_a_batch_have_an_order_too(cells: Expand, refusals: Refusals) -> None:
    head = HEAD + "  - {at: 0s, call: desk.batch, id: all}\n"
    good = order(("all.1.open", "all.1.close.begin"), ("all.0.close", "all.1.open.begin"))
    assert len(cells(head, good)[0].order) == 2
    (told,) = refusals(head, order(("all.1.open", "all.1.open.begin")))
    assert "cannot come before it" in told


CELLS = "abcd"
EDGES = st.sets(st.sampled_from(list(permutations(CELLS, 2))), max_size=6)


def loads(cells: Expand, text: str) -> bool:
    try:
        return len(cells(text)) == 1
    except ScenarioError:
        return False


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # it keeps nothing
@given(edges=EDGES)
def test_pairs_are_refused_just_where_no_order_fits_them_all(
    cells: Expand, edges: set[tuple[str, str]]
) -> None:
    entries = "".join(f"  - {{at: 0s, submit: ping, id: {id_}}}\n" for id_ in CELLS)
    head = f"format: 1\nname: x\nsystem: toy\nexpect: [conservation: {{}}]\ntimeline:\n{entries}"
    text = order(*((f"{one}.settled", f"{two}.submitted") for one, two in sorted(edges)))
    fits = any(
        all(line.index(one) < line.index(two) for one, two in edges) for line in permutations(CELLS)
    )
    assert loads(cells, head + text) == fits
