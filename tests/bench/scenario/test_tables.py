"""Tables: ten times the rows load in about ten times the time, and a bomb costs next to nothing."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

import pytest

from windtunnel.errors import ScenarioError
from windtunnel.scenario.expanding.expansion import expand
from windtunnel.scenario.reading.loading import parse_scenario

SMALL, LARGE, MOST = 50, 500, 20.0
"""Rows, rows, and how much longer the second table may take (10 is linear)."""


def table(rows: int) -> str:
    lines = [
        f"    - {{id: r{k}, in: [{k % 20 + 1}, {k}ms], out: [{k % 7}, {k + 5}ms]}}"
        for k in range(rows)
    ]
    return "\n".join([HEAD, *lines, TAIL])


HEAD = """\
format: 1
name: table
system: ui
given:
  actions: {send_text: {duration: 1s}}
  watchdog: {drain: $drain}
timeline:
  - {at: 0s, submit: send_text, id: a, repeat: $n}
  - {at: 100ms, call: watchdog.act, id: restart}
cases:
  inputs: [n, drain]
  outputs: [done, killed_at]
  rows:"""
TAIL = """\
expect:
  - count: {of: send_text, outcome: done, before: kind:process.killed, equals: $done}
  - event: {name: kind:process.killed, at: $killed_at}
  - conservation: {of: [send_text]}
  - bounded: {from: a.submitted, to: a.settled, max: 6s}
"""


def load(text: str) -> int:
    return len(expand(parse_scenario(text, "x.yaml")))


def least(work: Callable[[], object], rounds: int = 5) -> float:
    """Seconds of the quickest of several rounds, without the garbage collector's."""
    best = float("inf")
    gc.collect()
    gc.disable()
    try:
        for _ in range(rounds):
            begin = time.perf_counter()
            work()
            best = min(best, time.perf_counter() - begin)
    finally:
        gc.enable()
    return best


@pytest.mark.bench
def test_ten_times_the_rows() -> None:
    small, large = table(SMALL), table(LARGE)
    assert load(large) == LARGE
    ratio = least(lambda: load(large)) / least(lambda: load(small))
    assert ratio < MOST, f"{LARGE} rows take {ratio:.1f} times as long as {SMALL}"


def long_let(lines: int) -> str:
    names = ["  n0: 1", *(f"  n{k}: $n{k - 1}" for k in range(1, lines))]
    return "\n".join(["format: 1\nname: long\nsystem: ui\nlet:", *names, ENTRIES, EXPECT])


def long_chain(lines: int) -> str:
    chain = [
        f"  - {{after: n{k - 1}.settled, call: watchdog.act, id: n{k}}}" for k in range(1, lines)
    ]
    return "\n".join(["format: 1\nname: long\nsystem: ui", ENTRIES, *chain, EXPECT])


ENTRIES = "timeline:\n  - {at: 0s, call: watchdog.act, id: n0}"
EXPECT = "expect:\n  - count: {of: kind:process.killed, min: 1}\n"


@pytest.mark.bench
@pytest.mark.parametrize("text", [long_let, long_chain])
def test_ten_times_the_lines(text: Callable[[int], str]) -> None:
    small, large = text(10 * SMALL), text(10 * LARGE)
    assert load(small) == load(large) == 1
    ratio = least(lambda: load(large), 2) / least(lambda: load(small), 2)
    assert ratio < MOST, f"{10 * LARGE} lines take {ratio:.1f} times as long as {10 * SMALL}"


@pytest.mark.bench
def test_an_alias_bomb_costs_less_than_a_small_table(figure: Callable[[str], None]) -> None:
    anchors = [f"  a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10)}]" for k in range(1, 40)]
    bomb = "\n".join(["format: 1", "let:", f"  a0: &a0 [{'x, ' * 10}]", *anchors, ""])

    def refuse() -> None:
        with pytest.raises(ScenarioError, match="aliases expanded"):
            load(bomb)

    refusal = least(refuse)
    ratio = refusal / least(lambda: load(table(SMALL)))
    figure(f"alias bomb: refused in {refusal * 1e3:.2f} ms (bar 50 ms)")
    assert ratio < 1.0, f"the bomb takes {ratio:.2f} times as long as {SMALL} rows"
