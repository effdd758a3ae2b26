"""Reading of `thresholds`: the shape of its entries and what selects cells."""

from __future__ import annotations

from collections.abc import Callable

from windtunnel.scenario.cells import Cell

Refusals = Callable[..., list[str]]

HEAD = "format: 1\nname: probe\nsystem: toy\nexpect: [conservation: {}]\n"


def test_what_is_no_list_of_mappings(refusals: Refusals) -> None:
    (told,) = refusals(HEAD, "thresholds: {metric: wait}\n")
    assert told.startswith("5:13 `thresholds` is a list, such as `- {metric: wait, ")
    (told,) = refusals(HEAD, "thresholds: [wait]\n")
    assert told.startswith("5:14 a threshold is a mapping, such as ")


def test_they_may_be_left_out(cells: Callable[..., tuple[Cell, ...]]) -> None:
    assert cells(HEAD)[0].thresholds == ()
    assert cells(HEAD, "thresholds: []\n")[0].thresholds == ()


def test_every_mistake_of_an_entry_at_once(refusals: Refusals) -> None:
    text = "thresholds: [{metric: wait, stat: mox, max: $x, world: moon, becuase: 3}]\n"
    told = [line.split(" ", 1)[0] for line in refusals(HEAD, text)]
    assert told == ["5:45", "5:56"], "what hangs on an unknown reference is not looked into"
    text = "thresholds: [{metric: wait, stat: mox, max: 1s, when: {y: 1}, becuase: 3}]\n"
    told = [line.split(" ", 1)[0] for line in refusals(HEAD, text)]
    assert told == ["5:35", "5:56", "5:63"]


def test_when_names_axes_and_their_values(refusals: Refusals) -> None:
    text = "matrix: {n: [1, 2]}\nthresholds: [{metric: wait, stat: max, max: 1s, when: {n: 3}}]\n"
    assert refusals(HEAD, text) == ["6:59 the axis `n` has no value 3 (known: 1, 2)"]
