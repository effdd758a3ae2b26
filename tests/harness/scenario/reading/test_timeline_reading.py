"""Reading of `timeline`: the shape of its entries and where `$i` may stand."""

from __future__ import annotations

from collections.abc import Callable

from windtunnel.scenario.cells import Cell
from windtunnel.scenario.reading.timeline_reading import MAX_PAIRS

Refusals = Callable[..., list[str]]

HEAD = "format: 1\nname: probe\nsystem: toy\nexpect: [conservation: {}]\n"


def test_what_is_no_list_of_mappings(refusals: Refusals) -> None:
    assert refusals(HEAD, "timeline: {at: 0s, submit: ping}\n") == [
        "5:11 `timeline` is a list of entries, such as `- {at: 0s, submit: …}`"
    ]
    assert refusals(HEAD, "timeline: [{at: 0s, submit: ping}, ping]\n") == [
        "5:36 an entry of the timeline is a mapping, such as `{at: 0s, submit: …}`"
    ]


def test_a_timeline_may_be_left_out(cells: Callable[..., tuple[Cell, ...]]) -> None:
    assert cells(HEAD)[0].timeline == ()


def test_the_number_stands_in_the_args_of_a_repeat_alone(refusals: Refusals) -> None:
    text = """\
    timeline:
      - {at: 0s, submit: job, id: a, repeat: 2, args: {name: $i}, wait: $i}
      - {at: 0s, submit: job, id: b, args: {name: x$i}}
    """
    told = refusals(HEAD, text)
    assert [line.split()[0] for line in told] == ["6:69", "7:47"]
    assert all("in the `args` of an entry with `repeat`" in line for line in told)


def test_an_order_of_very_many_pairs_is_refused(refusals: Refusals) -> None:
    pairs = "timeline: [{at: 0s, submit: ping, id: a}, {at: 0s, submit: ping, id: b}]\norder:\n"
    pairs += "  - [a.submitted, b.submitted]\n" * (MAX_PAIRS + 1)
    assert refusals(HEAD, pairs) == [f"{7 + MAX_PAIRS}:5 over {MAX_PAIRS} pairs in `order`"]
