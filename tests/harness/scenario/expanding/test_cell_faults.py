"""The faults of a cell: ids, moments and the system's own fields, as plain data."""

from __future__ import annotations

from collections.abc import Callable

from windtunnel.scenario.cells import Cell
from windtunnel.units import MS, SECOND

Expand = Callable[..., tuple[Cell, ...]]
Refusals = Callable[..., list[str]]

HEAD = "format: 1\nname: probe\nsystem: toy\nexpect: [conservation: {}]\n"


def test_what_a_fault_says(cells: Expand) -> None:
    text = """\
    let: {when: 1s}
    timeline: [{at: 0s, submit: job, id: a, args: {name: x}}]
    faults:
      - {at: $when, do: outage, for: 2s, lanes: [1, 2], by: 5ms}
      - {after: a.work, plus: 3ms, do: storm, id: late}
      - {after: fault-0.undone, do: outage}
    """
    (cell,) = cells(HEAD, text)
    first, second, third = cell.faults
    assert (first.line, first.at, first.after, first.plus, first.lasts) == (
        *(8, SECOND),
        *(None, 0, 2 * SECOND),
    )
    assert (first.fault.id, first.fault.do) == ("fault-0", "outage")
    assert dict(first.fault.args) == {"lanes": (1, 2), "by": 5 * MS}
    assert second.after is not None
    assert (second.at, second.after.text, second.plus, second.lasts) == (
        *(None, "a.work"),
        *(3 * MS, None),
    )
    assert (second.fault.id, dict(second.fault.args)) == ("late", {})
    assert third.after is not None
    assert third.after.text == "fault-0.undone"
    assert dict(third.fault.args) == {"lanes": (0,), "by": 0}


def test_the_kind_may_be_an_axis(cells: Expand) -> None:
    text = "matrix: {kind: [outage, storm]}\nfaults: [{at: 0s, do: $kind}]\n"
    assert [cell.faults[0].fault.do for cell in cells(HEAD, text)] == ["outage", "storm"]


def test_an_entry_waits_for_a_fault(cells: Expand) -> None:
    text = """\
    timeline: [{after: out.undone, submit: ping, id: a}]
    faults: [{at: 1s, do: storm, id: out, for: 1s}]
    """
    (cell,) = cells(HEAD, text)
    assert cell.timeline[0].after is not None
    assert cell.timeline[0].after.text == "out.undone"


def test_checks_name_a_fault_s_events(cells: Expand, refusals: Refusals) -> None:
    text = "faults: [{at: 1s, do: storm, id: out}]\n"
    good = HEAD.replace("conservation: {}", "event: {name: out.injected, at: 1s}")
    assert len(cells(good, text)) == 1
    bad = HEAD.replace("conservation: {}", "event: {name: out.settled, at: 1s}")
    (told,) = refusals(bad, text)
    assert told.endswith("is never `settled` (known: affected, injected, undone)")


def test_a_mistake_in_one_cell_names_it(refusals: Refusals) -> None:
    text = "matrix: {kind: [outage, strom]}\nfaults: [{at: 0s, do: $kind}]\n"
    assert refusals(HEAD, text) == [
        "6:23 `toy` has no fault named `strom`; did you mean `storm`? [in [kind=strom]]"
    ]
