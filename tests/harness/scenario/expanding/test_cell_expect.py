"""The expectations of a cell: which apply, with which arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from windtunnel.scenario.cells import Cell
from windtunnel.scenario.reading.models import DeclaredFailure

Expand = Callable[..., tuple[Cell, ...]]

HEAD = """\
format: 1
name: probe
system: toy
timeline: [{at: 0s, submit: job, id: a, args: {name: x}}]
"""


def test_arguments_are_typed(cells: Expand) -> None:
    text = "cases: {outputs: [n], inputs: [], rows: [[3]]}\n"
    (cell,) = cells(HEAD, text, "expect:\n  - count: {of: job, equals: $n, before: a.settled}\n")
    (expectation,) = cell.expect
    args: Any = expectation.args
    assert (args.of, args.equals, args.before.text) == ("job", 3, "a.settled")
    assert expectation.line == 7


def test_what_stands_beside_the_check(cells: Expand) -> None:
    text = """\
    expect:
      - because: it costs $5
        severity: warning
        conservation:
        fails: {measured: 1500ms, tolerance: $t}
      - fifo: {within: all}
    let: {t: 0.5}
    """
    (cell,) = cells(HEAD, text)
    expectation, _ = cell.expect
    assert expectation.because == "it costs $5"
    assert expectation.severity == "warning"
    assert expectation.fails == DeclaredFailure(measured=1.5, tolerance=0.5)
    assert expectation.line == 8


def test_when_and_world_select_cells(cells: Expand) -> None:
    text = """\
    world: [sim, real]
    matrix: {policy: [listed, specified], on: [true, 1]}
    expect:
      - conservation: {}
      - fifo: {within: all}
        when: {policy: listed, on: true}
      - mutual_exclusion: {resource: display}
        world: real
    """
    found = {cell.name: [e.check for e in cell.expect] for cell in cells(HEAD, text)}
    assert found["probe[policy=listed,on=true,world=sim]"] == ["conservation", "fifo"]
    assert found["probe[policy=listed,on=1,world=sim]"] == ["conservation"]
    assert found["probe[policy=specified,on=true,world=real]"] == [
        "conservation",
        "mutual_exclusion",
    ]


def test_when_may_name_fields_that_are_no_axes(cells: Expand) -> None:
    text = """\
    policy: listed
    seed: 7
    cases: {inputs: [], rows: [{id: one}, {id: two}]}
    expect:
      - conservation: {}
        when: {policy: listed, seed: 7, world: sim, scheduler: null}
      - fifo: {within: all}
        when: {case: two}
      - mutual_exclusion: {resource: display}
        when: {policy: specified}
    """
    found = [[e.check for e in cell.expect] for cell in cells(HEAD, text)]
    assert found == [["conservation"], ["conservation", "fifo"]]
    with_others = [[e.check for e in cell.expect] for cell in cells(HEAD, text, policy="specified")]
    assert with_others == [["mutual_exclusion"], ["fifo", "mutual_exclusion"]]


def test_observed_names_are_checked_against_system_and_variables(
    refusals: Callable[..., list[str]], cells: Expand
) -> None:
    text = "let: {jobs: 3}\nexpect:\n  - invariant: 'done + waiting == jobs'\n"
    assert len(cells(HEAD, text)) == 1
    assert "has no observable `job`" in refusals(HEAD, text.replace("jobs'", "job'"))[0]


def test_a_foreign_scheduler_observes_what_it_likes(cells: Expand) -> None:
    text = HEAD + "expect:\n  - equals: {whatever: 3}\n"
    assert len(cells(text, scheduler="a.b:C")) == 1
