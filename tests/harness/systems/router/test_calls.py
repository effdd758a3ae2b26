"""The calls: their arguments, and a task that a call names is one of the timeline's."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from windtunnel.errors import ScenarioError
from windtunnel.scenario.expanding.expansion import expand
from windtunnel.scenario.reading.loading import parse_scenario
from windtunnel.systems.router.calls import CALLS

SCENARIO = """\
format: 1
name: probe
system: router
timeline:
  - {at: 0s, submit: task, id: t, repeat: 3}
  - {at: 1s, call: backend.query, id: q, args: {task: NAMED}}
expect: [{calls: {}}]
"""


@pytest.mark.parametrize("name", CALLS)
def test_a_call_takes_its_arguments_and_no_others(name: str) -> None:
    said = {"task": "t"} if "task" in CALLS[name].model_fields else {}
    assert CALLS[name].model_validate(said).model_dump() == said
    with pytest.raises(ValidationError):
        CALLS[name].model_validate({**said, "timeout": "1s"})
    if said:
        with pytest.raises(ValidationError, match="task"):
            CALLS[name].model_validate({})


def test_a_task_is_named_as_the_timeline_names_it() -> None:
    text = SCENARIO.replace("NAMED", "t.2")
    (cell,) = expand(parse_scenario(text, "probe.yaml"))
    assert cell.timeline[1].template.make(0).args.task == "t.2"


@pytest.mark.parametrize("named", ["t.3", "s", "2"])
def test_a_task_that_nothing_submits_is_refused_where_it_stands(named: str) -> None:
    with pytest.raises(ScenarioError, match=r"probe\.yaml:6:\d+: error: "):
        expand(parse_scenario(SCENARIO.replace("NAMED", named), "probe.yaml"))
