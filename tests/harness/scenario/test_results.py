"""Results: the line of a cell."""

from __future__ import annotations

import json
from dataclasses import replace

from windtunnel.checks.base import Verdict
from windtunnel.scenario.results import CellResult, CheckLine, FaultLine

RESULT = CellResult(
    scenario="s",
    file="s.yaml",
    line=3,
    name="s[a=1]",
    cell={"a": 1},
    world="sim",
    policy="specified",
    scheduler=None,
    seed=0,
    verdict=Verdict.FAIL,
    reason="why",
    checks=(CheckLine("count", Verdict.FAIL, 7, "two, not one", (4, 2), 2),),
    digest="00",
)


def test_a_result_line_is_json_and_keeps_its_version() -> None:
    line = json.loads(json.dumps(RESULT.as_json()))
    assert line["v"] == 1
    assert (line["scenario"], line["cell"], line["verdict"]) == ("s", {"a": 1}, "fail")
    assert line["checks"][0]["witness"] == [4, 2]
    assert "trace" not in line


def test_a_line_says_how_it_was_played_and_what_became_of_the_faults() -> None:
    plain = RESULT.as_json()
    assert {name: plain[name] for name in ("status", "tie_seed", "orders", "runs", "passed")} == {
        "status": "active",
        "tie_seed": None,
        "orders": 0,
        "runs": 1,
        "passed": None,
    }
    assert (plain["faults"], plain["kept"]) == ([], "")
    assert replace(RESULT, kept="frames/s").as_json()["kept"] == "frames/s"
    fault = FaultLine("storm", "slow", 12, 5, None, 9)
    (line,) = replace(RESULT, faults=(fault,)).as_json()["faults"]
    times = {"injected_ns": 5, "affected_ns": None, "undone_ns": 9}
    assert line == {"id": "storm", "do": "slow", "line": 12, **times}


def test_only_what_is_quarantined_does_not_gate() -> None:
    gates = [replace(RESULT, status=s).gates for s in ("active", "open", "quarantined")]
    assert gates == [True, True, False]
