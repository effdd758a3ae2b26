"""The page on the bridge is true: its examples pass, its tables are those of the code."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from windtunnel.checks.base import Verdict
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.playing.running import run_cell
from windtunnel.scenario.selecting.selection import Request, select
from windtunnel.services.bridge.dispatch.call_sites import CALL_SITES, PROBES
from windtunnel.services.bridge.dispatch.endpoints import ENDPOINTS
from windtunnel.services.bridge.flows.flows import FLOWS
from windtunnel.systems.ui.calls import CALLS, ROUTES
from windtunnel.systems.ui.given import Given
from windtunnel.systems.ui.observables import OBSERVABLES
from windtunnel.systems.ui.submits import SUBMITS
from windtunnel.systems.ui.wechat_given import WechatGiven
from windtunnel.units import format_duration, from_ms

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "bridge.md").read_text(encoding="utf-8")
SCENARIOS = re.findall(r"^```yaml\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def section(title: str) -> str:
    return TEXT.partition(f"## {title}\n")[2].partition("\n## ")[0]


def rows(text: str) -> list[list[str]]:
    """Return the rows of the tables in a text, cell by cell, without the headers."""
    lines = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line] for line in lines]


@pytest.mark.parametrize("block", SCENARIOS, ids=lambda block: block.split()[3])
def test_the_scenarios_shown_pass(block: str, tmp_path: Path) -> None:
    file = tmp_path / "scenario.yaml"
    file.write_text(block, encoding="utf-8")
    selection = select(Request(paths=(str(file),)))
    assert not selection.problems
    results = [run_cell(cell) for cell in selection.cells]
    assert [(one.verdict, one.reason) for one in results] == [(Verdict.PASS, "")] * len(results)
    assert results


@pytest.mark.parametrize("name", ENDPOINTS)
def test_the_table_of_classes_is_that_of_the_code(name: str) -> None:
    table = {row[0]: row for row in rows(section("What can be submitted and called"))}
    _, args, priority, delay, wait, commands = table[f"`{name}`"]
    endpoint = ENDPOINTS[name]
    assert re.findall(r"`(\w+)`", args) == list(SUBMITS[name].model_fields)
    assert priority == endpoint.priority.name
    assert delay.replace(" s", "s").startswith(format_duration(from_ms(endpoint.delay_ms)))
    assert wait.replace(" s", "s") == shown(endpoint.wait_ms)
    assert commands.partition(" (")[0].split(", ") == [step.name for step in FLOWS[name]]


def shown(milliseconds: float) -> str:
    return f"{milliseconds / 1000:g}s"


def test_every_call_is_told() -> None:
    told = section("What can be submitted and called")
    others = [name for name in CALLS if name not in ROUTES] + ["route.status", "route.qr_wait"]
    short = [name.replace("scheduler.", ".") for name in others]
    named = set(re.findall(r"`([^`]+)`", told))
    assert [both for both in zip(others, short, strict=True) if named.isdisjoint(both)] == []


def test_every_key_of_given_is_told() -> None:
    told = section("`given`")
    keys = [*(name for name in Given.model_fields if name != "wechat")]
    keys += [f"wechat.{name}" for name in WechatGiven.model_fields]
    assert [key for key in keys if f"| `{key}" not in told] == []


def test_every_observable_is_told() -> None:
    told = section("What is observed by name")
    texts = {re.sub(r"_seconds_(count|bucket)$", "_seconds_sum", name) for name in OBSERVABLES}
    assert [text for text in sorted(texts) if f"`{text}" not in told] == []


def test_the_counts_of_call_sites_and_probes_are_those_of_the_code() -> None:
    told = section("Decisions")
    queued = sum(site.before == "queued" for site in CALL_SITES)
    assert f"| {len(CALL_SITES)}, of which {queued} are queued today" in told
    assert f"| {len(PROBES)}: sends 6" in told


def caught() -> list[tuple[str, str]]:
    table = rows(section("What goes wrong before, and what catches it"))
    return [
        (row[1].strip("`"), check)
        for row in table
        if row[1].startswith("`")
        for check in re.findall(r"`(\w+)`", row[2])
    ]


@pytest.mark.parametrize(("scenario", "check"), caught())
def test_what_goes_wrong_before_is_caught_as_the_table_says(scenario: str, check: str) -> None:
    cells = select(Request(paths=(f"ui/{scenario}.yaml",), world="sim")).cells
    declared = {axis for cell in cells if check in failing(cell) for axis in axes(cell)}
    sound = {axis for cell in cells if not failing(cell) for axis in axes(cell)}
    assert (declared, sound) in (
        ({"before", "phase1"}, {"after"}),
        ({"direct"}, {"queued"}),
    )


def axes(cell: Cell) -> set[object]:
    """Return the values of a cell's axes but for its world."""
    return {value for axis, value in cell.axes.items() if axis != "world"}


def failing(cell: Cell) -> list[str]:
    """Return the checks that a cell declares to fail."""
    return [line.check for line in cell.expect if line.fails is not None]


def test_every_scenario_named_is_there() -> None:
    bundled = {path.stem for path in (ROOT / "scenarios" / "ui").glob("*.yaml")}
    named = set(re.findall(r"`([a-z]+(?:-[a-z]+){2,})`", TEXT))
    assert named
    assert named <= bundled


def test_the_figures_of_the_probes_are_those_measured() -> None:
    cells = select(Request(("ui/probes-of-a-hundred-sends.yaml",), world="sim")).cells
    table = {row[0].strip("`"): row for row in rows(section("What a cheaper probe saves"))}
    for result in map(run_cell, cells):
        measured = {line.message.split(" is ")[0]: line.measured for line in result.checks}
        row = table[str(result.cell["probe"])]
        assert row[1] == f"{measured['max probe of send']:.3g} s"
        waits = measured["sum lock_wait"] or 0
        assert row[2] == (f"{waits / 60:.0f} min" if waits > 60 else f"{waits:.1f} s")
