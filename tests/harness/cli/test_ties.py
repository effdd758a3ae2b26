"""The options of ties: what they make of a cell, and how a result is replayed."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from windtunnel.checks.base import Verdict
from windtunnel.cli.ties import AS_WRITTEN, TieOptions
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.results import CellResult
from windtunnel.world import Ties

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")

Call = Callable[..., Result]
MakeCell = Callable[..., Cell]
WRITTEN: dict[str, Any] = {"ties": Ties("fifo", 7, (1, 2)), "explore": 9}
RACE = """
format: 1
name: race
system: ui
policy: specified
given: {wiring: before}
timeline:
  - {at: 0s, submit: logout, id: a}
  - {at: 0s, submit: logout, id: b}
expect:
  - happens_before: {first: a.activate.begin, then: b.activate.begin}
"""


@pytest.mark.parametrize(
    ("options", "ties", "explore"),
    [
        (AS_WRITTEN, WRITTEN["ties"], 9),
        (TieOptions("fifo"), Ties("fifo", 7), 0),
        (TieOptions("lifo"), Ties("lifo", 7), 0),
        (TieOptions("seeded"), Ties("seeded", 7), 0),
        (TieOptions("seeded", 3), Ties("seeded", 3), 0),
        (TieOptions(seed=3), Ties("seeded", 3), 0),
        (TieOptions(seed=0), Ties("seeded", 0), 0),
        (TieOptions(explore=200), Ties("seeded", 0), 200),
        (TieOptions("seeded", 5, 200), Ties("seeded", 5), 200),
    ],
)
def test_they_take_the_place_of_what_the_file_says(
    make_cell: MakeCell, options: TieOptions, ties: Ties, explore: int
) -> None:
    cell = options.applied(make_cell(**WRITTEN))
    assert (cell.ties, cell.explore) == (ties, explore)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--ties", "fifo", "--tie-seed", "3"), "--tie-seed goes with --ties seeded, not fifo"),
        (("--ties", "lifo", "--explore", "3"), "--explore goes with --ties seeded, not lifo"),
        (("--explore", "10001"), "10001 is not in the range 1<=x<=10000"),
        (("--ties", "random"), "'random' is not one of 'fifo', 'lifo', 'seeded'"),
        (("--tie-seed", "-1"), "-1 is not in the range"),
        (("--explore", "0"), "0 is not in the range"),
    ],
)
def test_what_does_not_go_together_is_a_usage_error(
    call: Call, arguments: tuple[str, ...], said: str
) -> None:
    result = call("run", "ui/drain.yaml", *arguments)
    assert result.exit_code == 2
    assert said in result.stderr


def test_of_an_exploration_the_order_that_failed_is_replayed(make_cell: MakeCell) -> None:
    result = CellResult.of(make_cell(), Verdict.FAIL)
    options = TieOptions(explore=50)
    one = replace(result, orders=8, tie_seed=7)
    assert options.replaying(one) == ("--ties", "seeded", "--tie-seed", "7")
    assert AS_WRITTEN.replaying(one) == ("--ties", "seeded", "--tie-seed", "7")
    assert options.replaying(replace(result, orders=50)) == ("--explore", "50")
    assert AS_WRITTEN.replaying(replace(result, tie_seed=7)) == ()
    assert TieOptions("lifo").replaying(result) == ("--ties", "lifo")


def lines_of(result: Result) -> list[dict[str, Any]]:
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_an_exploration_fails_by_a_seed_that_replays(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("race.yaml").write_text(RACE)
    assert call("run", "race.yaml").exit_code == 0
    explored = call("run", "race.yaml", "--explore", "50", "--json", "-")
    (line,) = lines_of(explored)
    assert (explored.exit_code, line["verdict"]) == (1, "fail")
    seed = line["tie_seed"]
    assert line["orders"] == seed + 1
    assert line["reason"].startswith(f"tie seed {seed} (order {seed + 1} of 50): happens_before: ")
    assert line["replay"].endswith(f"--ties seeded --tie-seed {seed}")
    arguments = shlex.split(line["replay"])[1:]
    (again,) = lines_of(call(*arguments, "--json", "-"))
    assert (again["digest"], again["checks"]) == (line["digest"], line["checks"])
    assert (again["tie_seed"], again["orders"]) == (seed, 0)


def test_an_exploration_is_shown_with_its_runs(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("race.yaml").write_text(RACE)
    shown = call("run", "race.yaml", "--explore", "50").stdout
    assert "replay: windtunnel run race.yaml --seed 0 --explore 50" in shown
    assert re.search(
        r"^  race.yaml:2: tie seed \d+ \(order \d+ of 50\): happens", shown, re.MULTILINE
    )
    assert re.search(r"^  replay: windtunnel run race.yaml .* --tie-seed \d+$", shown, re.MULTILINE)
    assert re.search(r"^verdict +scenario / cell +cells +runs ", shown, re.MULTILINE)


def test_an_explored_run_is_deterministic(call: Call) -> None:
    arguments = ("run", "ui/drain.yaml", "--world", "sim", "--explore", "3")
    result = call(*arguments, "--verify-determinism")
    assert result.exit_code == 0, result.output
    assert re.search(r"determinism: \d+ cells equal in 3 processes", result.stdout)


def test_another_order_than_the_first_process_has_is_found_out(
    call: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fresh processes get the same options of ties: else every run would differ."""
    monkeypatch.chdir(tmp_path)
    Path("race.yaml").write_text(RACE.replace("first: a", "first: b").replace("then: b", "then: a"))
    lifo = call("run", "race.yaml", "--ties", "lifo", "--verify-determinism")
    assert lifo.exit_code == 0, lifo.output
    monkeypatch.setattr(TieOptions, "arguments", lambda _: ())
    assert call("run", "race.yaml", "--ties", "lifo", "--verify-determinism").exit_code == 1
