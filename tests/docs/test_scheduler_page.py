"""The page on scheduler classes is true: its tables are those of the code, its class plays."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from windtunnel.checks.base import Verdict
from windtunnel.errors import HTTP_STATUS, Code
from windtunnel.kinds import KINDS
from windtunnel.policies.ui.priority import Priority
from windtunnel.scenario.playing.running import run_cell
from windtunnel.scenario.selecting.selection import Request, select
from windtunnel.services.bridge.scheduler.ui_scheduler import UIActionScheduler
from windtunnel.systems.ui.boundary import REFUSALS
from windtunnel.systems.ui.needs import CALL_NEEDS, OBSERVING, TIMELESS
from windtunnel.systems.ui.plug import OPTIONAL_METHODS, SUBMIT_ARGUMENTS

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / "docs" / "scheduler.md").read_text(encoding="utf-8")
OURS = UIActionScheduler()


def table(first: str) -> dict[str, list[str]]:
    """Return the rows of the table whose first column is so called, by that column."""
    _, _, after = TEXT.partition(f"\n| {first} |")
    lines = after.partition("\n\n")[0].splitlines()[2:]
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]
    return {row[0].strip("`"): row[1:] for row in rows}


def test_the_methods_are_those_that_are_looked_for() -> None:
    assert set(table("method")) == {"execute", "enqueue", *OPTIONAL_METHODS}
    assert all(callable(getattr(OURS, name)) for name in table("method"))


@pytest.mark.parametrize("call", CALL_NEEDS)
def test_what_a_call_needs_is_told(call: str) -> None:
    told = {name for name in OPTIONAL_METHODS if named_in(table("method")[name][-1], call)}
    assert told == set(CALL_NEEDS[call])


def named_in(text: str, call: str) -> bool:
    return ("the watchdog" in text) if call == "watchdog.act" else (f"`{call}`" in text)


def test_the_arguments_are_those_that_are_passed() -> None:
    assert tuple(table("argument | type and unit")) == SUBMIT_ARGUMENTS
    taken = list(inspect.signature(UIActionScheduler.execute).parameters)
    assert taken == ["self", "action", *SUBMIT_ARGUMENTS]
    named = ", ".join(priority.name for priority in sorted(Priority))
    assert f"0 to 3: {named};" in TEXT


def test_the_constructor_is_that_of_our_own() -> None:
    ours = inspect.signature(UIActionScheduler).parameters.values()
    assert list(table("argument | type | without it")) == [
        one.name for one in ours if one.kind is not one.KEYWORD_ONLY
    ]


def test_the_codes_are_those_of_the_code() -> None:
    codes = table("`.code`")
    assert list(codes) == [str(code) for code in Code]
    for name, (before, after, status) in codes.items():
        assert int(status) == HTTP_STATUS[name]
        assert (before.strip("`"), after.strip("`")) == outcomes(name)


def outcomes(code: str) -> tuple[str, str]:
    if code == Code.TIMEOUT:
        return "expired", "unknown"
    return ("rejected", "aborted") if code in REFUSALS else ("failed", "failed")


def test_the_checks_that_need_less_or_more_are_told() -> None:
    section = TEXT.partition("time are ")[2].partition(":")[0]
    assert set(re.findall(r"`(\w+)`", section)) == TIMELESS
    assert set(re.findall(r"`(\w+)`", table("method")["get_metrics"][-1])) == OBSERVING


def test_the_metrics_are_those_of_our_own() -> None:
    section = TEXT.partition("## Metrics")[2].partition("\n## ")[0]
    metrics = OURS.get_metrics()
    named = re.findall(r"`(\w+)`", section)
    assert set(named) == {*metrics, *metrics["executed_by_priority"]}


def test_what_is_told_from_inside_is_in_the_table_of_kinds() -> None:
    told = {name: set(re.findall(r"\w+", row[0])) for name, row in table("name").items()}
    assert told == {
        name: set(row.details) for name, row in KINDS.items() if row.origin == "scheduler"
    }


SCENARIO = """\
format: 1
name: a-full-shop
system: ui
policy: specified
given: {scheduler: {send_delay: 3s}}
timeline:
  - {at: 0s, submit: send_text, id: a, repeat: 4, args: {to: alice, text: hello}}
expect:
  - count: {of: a, outcome: done, equals: 3}
  - answer: {of: a.3, outcome: rejected, code: QUEUE_FULL, retry_after: 3}
  - gap: {of: send_text, min: 3s}
"""


def test_the_class_shown_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (block,) = re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
    (tmp_path / "shop_shown.py").write_text(block, encoding="utf-8")
    (tmp_path / "full.yaml").write_text(SCENARIO, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    request = Request(
        paths=(str(tmp_path / "full.yaml"),), scheduler="shop_shown:Shop", allow_code=True
    )
    (cell,) = select(request).cells
    result = run_cell(cell)
    assert (result.verdict, result.reason) == (Verdict.PASS, "")
