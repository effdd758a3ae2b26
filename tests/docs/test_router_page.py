"""The page on the router is true: its examples pass, its tables are those of the code."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
from pydantic import BaseModel

from windtunnel.checks.base import Verdict
from windtunnel.policies.router.alerts import RULES
from windtunnel.policies.router.router_options import LISTED, RouterOptions
from windtunnel.scenario.cells import Cell
from windtunnel.scenario.playing.running import run_cell
from windtunnel.scenario.selecting.selection import Request, select
from windtunnel.services.backend.adapters.external import CAPACITY_CODES
from windtunnel.services.wire import addresses
from windtunnel.services.wire.task import Task
from windtunnel.systems.router import RouterSystem
from windtunnel.systems.router.calls import CALLS
from windtunnel.systems.router.faults import FAULTS
from windtunnel.systems.router.given import Given
from windtunnel.systems.router.observables import OBSERVABLES
from windtunnel.systems.router.submits import TaskArgs
from windtunnel.units import format_duration

DOCS = Path(__file__).resolve().parents[2] / "docs"
TEXT = (DOCS / "router.md").read_text(encoding="utf-8")
SCENARIOS = re.findall(r"^```yaml\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)

BEGIN = """\
format: 1
name: begin
system: router
timeline: [{at: 0s, submit: task, id: t}]
expect: [{event: {name: t.submitted, at: 0s}}]
"""


def section(title: str, text: str = TEXT) -> str:
    _, found, after = text.partition(f"## {title}\n")
    assert found
    return after.partition("\n## ")[0]


def rows(text: str) -> list[list[str]]:
    """Return the rows of the tables in a text, cell by cell, without the headers."""
    lines = [line.split("|")[1:-1] for line in text.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line] for line in lines]


def words(text: str) -> list[str]:
    return re.findall(r"`([^`]+)`", text)


def cells(block: str, folder: Path) -> tuple[Cell, ...]:
    file = folder / "scenario.yaml"
    file.write_text(block, encoding="utf-8")
    selection = select(Request(paths=(str(file),)))
    assert not selection.problems
    return tuple(selection.cells)


@pytest.mark.parametrize("block", SCENARIOS, ids=lambda block: block.split()[3])
def test_the_scenarios_shown_pass(block: str, tmp_path: Path) -> None:
    results = [run_cell(cell) for cell in cells(block, tmp_path)]
    assert [(one.verdict, one.reason) for one in results] == [(Verdict.PASS, "")] * len(results)
    assert results


def leaves(model: type[BaseModel], before: str = "") -> Iterator[tuple[str, object]]:
    """Yield each key of a model and of those in it, dotted, with its default."""
    for name, field in model.model_fields.items():
        inner = field.get_default(call_default_factory=True)
        if isinstance(inner, BaseModel):
            yield from leaves(type(inner), f"{before}{name}.")
        else:
            yield before + name, inner


def as_written(default: object) -> str:
    if default is None:
        return "`fleet.external`"
    if default in ((), {}):
        return "none"
    if isinstance(default, bool):
        return str(default).lower()
    if isinstance(default, int) and default >= 1_000_000:
        return re.sub(r"(?<=\d)(?=[a-z])", " ", format_duration(default))
    return f"{default:g}"


def test_every_key_of_given_is_told_with_its_default() -> None:
    told: dict[str, str] = {}
    for row in rows(section("`given`")):
        keys, defaults = words(row[0]), row[1].split(", ")
        assert row[0] == "key" or len(keys) == len(defaults)
        told |= dict(zip(keys, defaults, strict=False))
    # 0 is a duration there, and one without a unit
    written = {key: as_written(default) for key, default in leaves(Given)}
    assert told == written | {"router.retry.backoff": "0 s"}


def test_every_argument_of_a_task_is_told() -> None:
    told = rows(section("What can be submitted and called"))
    arguments = {name for row in told for name in words(row[0])}
    assert arguments >= set(TaskArgs.model_fields)
    assert f"| `{Task('').platform}` |" in TEXT


def test_the_calls_are_those_of_the_code() -> None:
    told = rows(section("What can be submitted and called"))
    calls = {words(row[0])[0]: words(row[1]) for row in told if "." in row[0]}
    assert calls == {name: list(model.model_fields) for name, model in CALLS.items()}


def written_fields(model: type[BaseModel]) -> set[str]:
    return {field.alias or name for name, field in model.model_fields.items()}


def test_the_faults_are_those_of_the_code() -> None:
    told = {
        name: {word for word in words(row[1]) if word not in ("backend", "dispatcher")}
        for row in rows(section("Faults"))
        for name in words(row[0])
        if name != "do"
    }
    assert told == {name: written_fields(model) for name, model in FAULTS.items()}


def test_the_paths_of_faults_are_those_that_are_served() -> None:
    served = {value for name, value in vars(addresses).items() if name.endswith("_PATH")}
    served -= {addresses.CHANNEL_PATH, addresses.BRIDGE_PATH}
    served |= {addresses.path_of(addresses.CALLBACK_URL)}
    assert {word for word in words(section("Faults")) if word.startswith("/")} == served


def test_every_observable_is_told() -> None:
    told = words(section("What is observed by name"))
    known = {name.partition(".")[0] for name in told}
    assert known >= OBSERVABLES
    alerts = {name for name, _, _ in RULES}
    assert alerts <= set(told) | {name.rpartition(".")[2] for name in told}


def test_the_options_are_those_of_the_code() -> None:
    table = {words(row[0])[0]: row for row in rows(section("Policies")) if words(row[0])}
    assert list(table) == [field.name for field in fields(RouterOptions)]
    for field in fields(RouterOptions):
        _, specified, listed, *_ = table[field.name]
        assert specified.strip("`") == str(field.default).replace("True", "true")
        assert listed.strip("`") == str(LISTED[field.name]).replace("False", "false")


def test_each_check_and_metric_of_a_router_has_its_example(tmp_path: Path) -> None:
    page = (DOCS / "checks.md").read_text(encoding="utf-8")
    of_router = rows(section("A router and its tasks", page))
    checks = {words(row[0])[0] for row in of_router if words(row[0])}
    (block,) = (one for one in SCENARIOS if "one-of-each" in one)
    (cell,) = cells(block, tmp_path)
    used = {line.check for line in cell.expect}
    assert used >= checks | {"capacity"}
    metrics = words(page.partition("| `pending` |")[2].partition("\n")[2])
    of_router_metrics = {word for word in metrics if f"\n| `{word}` |" in page}
    assert {line.metric for line in cell.thresholds} == of_router_metrics


def test_the_checks_that_nobody_asks_for_are_told() -> None:
    sentence = section("Checks made for it").lstrip().partition(" run over")[0]
    told = set(words(sentence)) - {"accepted_once"}
    assert told == set(RouterSystem.default_checks)
    assert RouterSystem.default_checks["conservation"] == {"accepted_once": True}


def test_what_happens_before_the_timeline_has_a_time_below_0(tmp_path: Path) -> None:
    assert "has a time below 0" in TEXT
    (cell,) = cells(BEGIN, tmp_path)
    result = run_cell(cell, keep_trace=True)
    events = [json.loads(line) for line in result.trace]
    assert result.verdict is Verdict.PASS
    assert events[0]["t"] == -6_000_000  # six latencies of the default
    begun = next(event for event in events if event["kind"] == "action.submitted")
    assert all(event["t"] <= 0 for event in events[: begun["seq"]])


def test_the_codes_of_a_lack_of_room_are_those_of_the_code() -> None:
    (sentence,) = re.findall(r"the platform's codes (\d+) and (\d+) with", TEXT)
    assert {int(code) for code in sentence} == CAPACITY_CODES
