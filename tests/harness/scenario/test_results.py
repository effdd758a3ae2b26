"""Results: the line of a cell."""

from __future__ import annotations

import json

from windtunnel.checks.base import Verdict
from windtunnel.scenario.results import CellResult, CheckLine

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
