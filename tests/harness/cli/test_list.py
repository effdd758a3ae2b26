"""`windtunnel list`: one row per scenario."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from click.testing import Result

from windtunnel.scenario.selecting.files import bundled_root

Write = Callable[[str, str], Path]
Call = Callable[..., Result]


def test_a_row_for_each(fakes: Write, call: Call) -> None:
    fakes("a.yaml", "pass pass")
    fakes("b.yaml", "broken")
    result = call("list", ".")
    assert result.exit_code == 2
    rows = [line.split() for line in result.stdout.splitlines()]
    assert rows[0] == ["scenario", "system", "covers", "cells", "summary"]
    assert rows[2:] == [["a", "ui", "UI-Q1", "2", "a", "fake"], ["1", "scenario"]]
    assert result.stderr == "b.yaml:1:1: error: this line is broken\n"


def test_the_bundled_ones(call: Call) -> None:
    result = call("list")
    assert result.exit_code == 0
    number = len(list(bundled_root().rglob("*.yaml")))
    assert result.stdout.splitlines()[-1] == f"{number} scenarios"
