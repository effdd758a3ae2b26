"""Trials: two flows beside one another on a real display, with two units of isolation.

With the command as the unit (the UI lock alone) nearly every trial goes wrong, with the whole flow
(the queue) none: with no window manager, and with openbox under the configuration that is shipped.
A command takes up to 20 ms, or as little as the display allows.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from string import Template

import pytest

from windtunnel.checks.base import Verdict
from windtunnel.scenario.playing.running import run_cell
from windtunnel.scenario.results import CellResult
from windtunnel.scenario.selecting.selection import Request, select
from windtunnel.world import WorldOptions

pytestmark = pytest.mark.once

TRIALS = int(os.environ.get("WINDTUNNEL_TRIALS", "20"))
FEW = 5
BATCHES = tuple(range(first, min(first + FEW, TRIALS)) for first in range(0, TRIALS, FEW))
"""The trials by their seeds: a test that takes over two minutes is ended as one that hangs."""
DRIVER = os.environ.get("WINDTUNNEL_DRIVER")
"""By hand (as `WINDTUNNEL_TRIALS` is): which driver."""

THINKING = "{min: 0ms, max: 20ms}"
PORTS = ("activate", "click", "key", "type_text", "capture")
BESIDE = {
    "send beside log-out": ("submit: logout", "send_text, logout"),
    "send beside send": ("submit: send_text, args: {to: bob, text: good morning}", "send_text"),
}
"""Pair → what begins while a send runs, and the classes of flows that there are then."""
TRIAL = Template("""\
format: 1
name: trial
system: ui
policy: specified
world: [real]
matrix: {seed: $seeds}
given:
  wechat: {autostart: null}
  wiring: $wiring
  actions: {send_text: {delay_after: 0s}, logout: {delay_after: 0s}}
  latencies: {$latencies}
timeline:
  - {at: 0s, submit: send_text, id: send, args: {to: alice, text: hello}}
  - {after: send.started, id: other, $beside}
expect:
  - no_interleave: {flows: [$flows]}
  - delivered_to: {of: [send_text], complete: true}
  - conservation: {of: [send, other], outcomes: [done]}
  - count: {of: kind:text.misplaced, equals: 0}
  - count: {of: kind:click.missed, equals: 0}
""")
HARMLESS = "no_interleave"
"""That flows interleave is no harm by itself; what else fails is."""


def trials(pair: str, unit: str, thinking: str, seeds: range) -> str:
    beside, flows = BESIDE[pair]
    return TRIAL.substitute(
        seeds=list(seeds),
        wiring="before" if unit == "command" else "after",
        latencies=", ".join(f"{port}: {thinking}" for port in PORTS) if thinking else "",
        beside=beside,
        flows=flows,
    )


def play(
    folder: Path,
    pair: str,
    unit: str,
    manager: str | None,
    seeds: range,
    thinking: str = THINKING,
) -> list[CellResult]:
    """Play the trials one after another, each on a display of its own."""
    file = folder / "trial.yaml"
    file.write_text(trials(pair, unit, thinking, seeds), encoding="utf-8")
    # Sends are queued before the change too: beside one another only without a queue.
    at_once = unit == "command" and pair == "send beside send"
    scheduler = "at_once:AtOnce" if at_once else None
    selection = select(Request((str(file),), scheduler=scheduler, allow_code=True))
    assert not selection.problems, selection.problems
    options = WorldOptions(driver=DRIVER, window_manager=manager, frames="none")
    results = [run_cell(cell, options=options) for cell in selection.cells]
    assert {one.verdict for one in results} <= {Verdict.PASS, Verdict.FAIL}, results
    assert len(results) == len(seeds)
    return results


def harm(results: list[CellResult]) -> Counter[str]:
    """Count the trials in which something went wrong, and in which checks."""
    each = [
        {line.name for line in one.checks if line.verdict is Verdict.FAIL} - {HARMLESS}
        for one in results
    ]
    return Counter({"wrong": sum(map(bool, each)), **Counter(name for one in each for name in one)})


def told(counts: Counter[str], of: int) -> str:
    parts = ", ".join(f"{name} {count}" for name, count in counts.items() if name != "wrong")
    return f"{counts['wrong']} of {of} wrong" + (f" ({parts})" if parts else "")


@pytest.fixture(autouse=True)
def at_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


SEEDS = pytest.mark.parametrize("seeds", BATCHES, ids=lambda each: f"{each[0]}-{each[-1]}")
MANAGERS = pytest.mark.parametrize("manager", [None, "openbox"], ids=["bare", "openbox"])
PAIRS = pytest.mark.parametrize("pair", BESIDE, ids=lambda pair: pair.replace(" ", "-"))


@SEEDS
@MANAGERS
@PAIRS
def test_with_a_lock_per_command_nearly_every_trial_goes_wrong(
    pair: str, manager: str | None, seeds: range, tmp_path: Path, note: Callable[[str], None]
) -> None:
    counts = harm(play(tmp_path, pair, "command", manager, seeds))
    note(told(counts, len(seeds)))
    assert counts["wrong"] * 10 >= len(seeds) * 9, counts


@pytest.mark.spec("UI-L2", "UI-AC3")
@SEEDS
@MANAGERS
@PAIRS
def test_with_the_whole_flow_as_the_unit_none_goes_wrong(
    pair: str, manager: str | None, seeds: range, tmp_path: Path, note: Callable[[str], None]
) -> None:
    results = play(tmp_path, pair, "flow", manager, seeds)
    note(told(harm(results), len(seeds)))
    assert_right(results)


@MANAGERS
@PAIRS
def test_nor_does_one_at_full_speed(
    pair: str, manager: str | None, tmp_path: Path, note: Callable[[str], None]
) -> None:
    results = play(tmp_path, pair, "flow", manager, BATCHES[0], thinking="")
    note(told(harm(results), len(BATCHES[0])))
    assert_right(results)


def assert_right(results: list[CellResult]) -> None:
    wrong = [one.reason or one.checks for one in results if one.verdict is not Verdict.PASS]
    assert not wrong, wrong
