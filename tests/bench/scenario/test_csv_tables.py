"""Tables beside a scenario: ten thousand rows load in about ten times the time of a thousand."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from windtunnel.scenario.expanding.expansion import expand
from windtunnel.scenario.reading.loading import load_scenario

SMALL, LARGE, MOST = 1_000, 10_000, 20.0
"""Rows, rows, and how much longer the second may take (10 is linear)."""

TABLE = """\
format: 1
name: table
system: ui
given:
  actions: {send_text: {duration: 1s}}
  watchdog: {drain: $drain}
timeline:
  - {at: 0s, submit: send_text, id: a, repeat: $n}
  - {at: 100ms, call: watchdog.act, id: restart}
faults:
  - {at: 200ms, do: kill, id: out, for: 1s}
cases: {inputs: [n, drain], outputs: [done, killed_at], rows_from: rows.csv}
expect:
  - count: {of: send_text, outcome: done, before: kind:process.killed, equals: $done}
  - event: {name: kind:process.killed, at: $killed_at}
  - conservation: {of: [send_text]}
thresholds:
  - {metric: wait, of: send_text, stat: max, max: $killed_at}
"""
ARRIVALS = """\
format: 1
name: arrivals
system: ui
timeline:
  - {at: 0s, submit: send_text, id: a, from_csv: {file: rows.csv}, args: {to: $to, text: x$i}}
expect:
  - conservation: {of: [send_text]}
"""


def seconds(path: Path, cells: int) -> float:
    """Return the seconds that a file takes, without the garbage collector's."""
    gc.collect()
    gc.disable()
    try:
        begin = time.perf_counter()
        found = len(expand(load_scenario(path)))
        taken = time.perf_counter() - begin
    finally:
        gc.enable()
    assert found == cells
    return taken


def rows(count: int) -> str:
    lines = (f"r{k},{k % 20 + 1},{k}ms,{k % 7},{k + 5}ms" for k in range(count))
    return "\n".join(["id,n,drain,done,killed_at", *lines, ""])


def arrivals(count: int) -> str:
    return "\n".join(["at,to", *(f"{k}ms,room-{k % 9}" for k in range(count)), ""])


@pytest.mark.bench
@pytest.mark.parametrize(
    ("text", "table", "each"), [(TABLE, rows, True), (ARRIVALS, arrivals, False)]
)
def test_ten_thousand_rows(
    tmp_path: Path,
    figure: Callable[[str], None],
    text: str,
    table: Callable[[int], str],
    each: bool,
) -> None:
    path = tmp_path / "x.yaml"
    path.write_text(text)
    taken = {}
    for count in (SMALL, LARGE):
        (tmp_path / "rows.csv").write_text(table(count))
        cells = count if each else 1
        taken[count] = min(seconds(path, cells) for _ in range(2 if count == SMALL else 1))
    name = text.splitlines()[1].removeprefix("name: ")
    figure(f"{name}: {LARGE:,} rows of a CSV file typed in {taken[LARGE]:.2f} s")
    assert taken[LARGE] / taken[SMALL] < MOST
