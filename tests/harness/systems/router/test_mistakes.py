"""The mistakes: each told at its place when the file is read, not when the fault is due."""

from __future__ import annotations

from typing import Any

import pytest
import yaml

from windtunnel.errors import ScenarioError
from windtunnel.scenario.expanding.expansion import expand
from windtunnel.scenario.reading.loading import parse_scenario
from windtunnel.systems.router.mistakes import PATHS, mistakes
from windtunnel.systems.router.submits import TaskArgs
from windtunnel.systems.router.system import RouterSystem

SYSTEM = RouterSystem()
GIVEN = SYSTEM.given.model_validate({"fleet": {"internal": 4, "bridges": 2}})
HEAD = """\
format: 1
name: probe
system: router
given: {fleet: {internal: $n, bridges: 2}}
let: {n: 4}
timeline:
"""
"""Six lines."""
TAIL = "expect: [conservation: {}]\n"


def found(do: str, said: dict[str, Any]) -> list[tuple[Any, str]]:
    return list(mistakes(GIVEN, SYSTEM.faults[do].model_validate(said)))  # type: ignore[arg-type] # its own given


def told(timeline: str, faults: str = "") -> list[str]:
    faults = f"faults:\n{faults}" if faults else ""
    with pytest.raises(ScenarioError) as caught:
        expand(parse_scenario(HEAD + timeline + faults + TAIL, "x.yaml"))
    return [f"{one.line}:{one.column} {one.message}" for one in caught.value.problems]


@pytest.mark.parametrize("do", ["crash", "partition", "off", "on", "fail_work", "slow_work"])
def test_a_target_that_is_not_there_is_told(do: str) -> None:
    more: dict[str, Any] = {"by": 2} if do == "slow_work" else {}
    ((where, message),) = found(do, {"target": ["inst-3", "inst-5"], **more})
    assert where == ("target", 1)
    assert message == "there is no `inst-5` among 4 instances: the last is inst-3"


def test_a_bridge_that_is_not_there_is_told() -> None:
    ((_, message),) = found("crash", {"target": "bridge-2"})
    assert message == "there is no `bridge-2` among 2 bridges: the last is bridge-1"
    assert found("crash", {"target": ["backend", "external", "bridge-1", "inst-0"]}) == []


@pytest.mark.parametrize(
    ("do", "between", "message"),
    [
        ("flap", ["backend", "bridge-0"], "nothing ever goes between backend and bridge-0"),
        ("lose", ["external", "dispatcher"], "nothing ever goes between"),
        ("delay", ["bridge-0", "bridge-1"], "nothing ever goes between"),
        ("silent", ["external", "backend"], "no channel between external and backend"),
        ("flap", ["dispatcher", "bridge-2"], "there is no `bridge-2`"),
    ],
)
def test_two_hosts_with_nothing_between_them_are_told(
    do: str, between: list[str], message: str
) -> None:
    needed: dict[str, dict[str, Any]] = {"lose": {"times": 1}, "delay": {"by": "1s"}}
    more = needed.get(do, {})
    ((_, said),) = found(do, {"between": between, **more})
    assert message in said


@pytest.mark.parametrize("between", [["backend", "external"], ["bridge-1", "dispatcher"]])
def test_two_hosts_that_talk_are_not(between: list[str]) -> None:
    assert found("flap", {"between": between}) == []


@pytest.mark.parametrize(
    ("target", "path", "message"),
    [
        ("dispatcher", "/api/taks", "does not serve `/api/taks`; did you mean `/api/task`?"),
        ("backend", "/api/task", "backend does not serve `/api/task` (it serves: /callback)"),
        ("bridge-0", "/api/task", "bridge-0 serves no requests"),
        ("bridge-2", "/api/task", "there is no `bridge-2`"),
    ],
)
def test_a_path_that_nobody_serves_is_told(target: str, path: str, message: str) -> None:
    ((_, said),) = found("unanswered", {"target": target, "path": path})
    assert message in said


def test_every_path_that_is_served_is_taken() -> None:
    for target, paths in PATHS.items():
        for path in paths:
            assert found("unanswered", {"target": target, "path": path}) == []


def test_a_preferred_instance_is_there() -> None:
    ((where, _),) = mistakes(GIVEN, TaskArgs(preferred="inst-4"))  # type: ignore[arg-type] # its own
    assert where == ("preferred",)
    assert not list(mistakes(GIVEN, TaskArgs(preferred="inst-3")))  # type: ignore[arg-type] # its own


def test_each_is_told_at_its_place_in_the_file() -> None:
    timeline = "  - {at: 0s, submit: task, id: t, args: {preferred: inst-7}}\n"
    faults = (
        "  - {at: 1s, do: crash, target: [inst-0, inst-5]}\n"
        "  - {at: 1s, do: silent, between: [backend, bridge-0]}\n"
        "  - {at: 1s, do: unanswered, target: dispatcher, path: /api/taks}\n"
    )
    places = [line.partition(" ")[0] for line in told(timeline, faults)]
    assert places == ["7:53", "9:42", "10:35", "11:56"]


def test_what_is_there_hangs_on_the_cell() -> None:
    text = HEAD.replace("let: {n: 4}", "matrix: {n: [2, 6]}") + (
        "  - {at: 0s, submit: task, id: t, args: {preferred: inst-4}}\n"
    )
    with pytest.raises(ScenarioError) as caught:
        expand(parse_scenario(text + TAIL, "x.yaml"))
    ((problem),) = caught.value.problems
    assert "among 2 instances" in problem.message
    assert "[in [n=2]]" in problem.message


@pytest.mark.parametrize("task", ["t", "task", "x", "t.3", "t.x"])
def test_a_call_is_of_one_task(task: str) -> None:
    timeline = "  - {at: 0s, submit: task, id: t, repeat: 3}\n"
    call = f"  - {{at: 1s, call: backend.query, args: {{task: {task}}}}}\n"
    (line,) = told(timeline + call)
    assert line.startswith("8:48 ")
    if task == "t":
        assert line.endswith("`t` has 3 operations: say which, such as t.0")


def test_one_task_of_a_repeat_can_be_called_for() -> None:
    timeline = "  - {at: 0s, submit: task, id: t, repeat: 3}\n"
    call = "  - {at: 1s, call: backend.query, args: {task: t.2}}\n"
    assert len(expand(parse_scenario(HEAD + timeline + call + TAIL, "x.yaml"))) == 1


def test_a_part_of_an_observable_that_there_is_not_is_told() -> None:
    read = {"alerts.quue": True, "md_router_sent_total.sideways": 1, "degraded.x": False}
    data = yaml.safe_load(HEAD + "  - {at: 0s, submit: task}\n")
    data["expect"] = [{"equals": {key: value}} for key, value in read.items()]
    with pytest.raises(ScenarioError) as caught:
        expand(parse_scenario(yaml.safe_dump(data), "x.yaml"))
    assert sorted(one.message for one in caught.value.problems) == [
        "`alerts` has no `quue`; did you mean `queue`?",
        "`degraded` is one value, without parts",
        "`md_router_sent_total` has no `sideways` (known: external, internal)",
    ]
