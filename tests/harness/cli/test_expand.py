"""`windtunnel expand`: what a run would play."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from click.testing import Result

Write = Callable[[str, str], Path]
Call = Callable[..., Result]


def test_the_cells_in_order(fakes: Write, call: Call) -> None:
    fakes("a.yaml", "leave fail")
    result = call("expand", "a.yaml", "--seed", "3")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "a.yaml:1: a[n=0]  (sim, specified, seed 3)",
        "a.yaml:2: a[n=1]  (sim, specified, seed 3)",
    ]


def test_as_json(fakes: Write, call: Call) -> None:
    fakes("a.yaml", "pass fail")
    (line,) = call("expand", "a.yaml", "--json", "-k", "tag-fail").stdout.splitlines()
    cell = json.loads(line)
    assert (cell["name"], cell["line"], cell["cell"], cell["covers"], cell["tags"]) == (
        *("a[n=1]", 2, {"n": 1}),
        *(["UI-Q1"], ["tag-fail"]),
    )


def test_exit_codes(fakes: Write, call: Call) -> None:
    fakes("a.yaml", "pass")
    fakes("b.yaml", "broken")
    assert call("expand", "a.yaml", "-k", "nowhere").exit_code == 5
    both = call("expand", ".")
    assert both.exit_code == 2
    assert both.stdout.startswith("a.yaml:1: a[n=0]")
    assert both.stderr == "b.yaml:1:1: error: this line is broken\n"


SIM = ("--world", "sim")  # in the real world it would take minutes


def test_what_it_names_is_what_runs(call: Call) -> None:
    named = [
        json.loads(line)["name"] for line in call("expand", *SIM, "--json").stdout.splitlines()
    ]
    ran = [
        json.loads(line)["name"] for line in call("run", *SIM, "--json", "-").stdout.splitlines()
    ]
    assert named == ran
    assert named
