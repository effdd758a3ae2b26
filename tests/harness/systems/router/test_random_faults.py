"""Whatever goes wrong for a while, every task ends once, and none is lost or doubled (F-R9)."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from windtunnel.checks.base import Verdict
from windtunnel.scenario.expanding.expansion import expand
from windtunnel.scenario.playing.single_run import run_once
from windtunnel.scenario.reading.loading import parse_scenario

WITH_CHANNELS = [["backend", "dispatcher"], ["dispatcher", "bridge-0"]]
LINKS = st.sampled_from([*WITH_CHANNELS, ["backend", "external"]])
SERVERS = st.sampled_from(
    [
        {"target": "dispatcher", "path": "/api/task"},
        {"target": "dispatcher", "path": "/api/auth/login"},
        {"target": "external", "path": "/task/openapi/create"},
        {"target": "backend", "path": "/callback"},
    ]
)
TIMES = st.integers(1, 4)


def a_while(most_ms: int) -> st.SearchStrategy[str]:
    return st.integers(1, most_ms).map(lambda ms: f"{ms}ms")


def between(do: str, **more: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"do": st.just(do), "between": LINKS, **more})


def at_server(do: str, **more: Any) -> st.SearchStrategy[dict[str, Any]]:
    said = st.fixed_dictionaries({"do": st.just(do), "times": TIMES, **more})
    return st.builds(lambda fault, server: {**fault, **server}, said, SERVERS)


def aimed(do: str, targets: list[str], **more: Any) -> st.SearchStrategy[dict[str, Any]]:
    target = st.sampled_from(targets)
    return st.fixed_dictionaries({"do": st.just(do), "target": target, **more})


FAULTS = st.one_of(
    aimed("crash", ["backend", "dispatcher", "bridge-0", "inst-0", "inst-1"]),
    aimed("partition", ["backend", "dispatcher", "external", "bridge-0", "inst-0"]),
    aimed("store_down", ["backend", "dispatcher"]),
    aimed("fail_work", ["external", "inst-0", "inst-2"], times=TIMES),
    aimed("slow_work", ["external", "inst-0"], by=st.sampled_from([0.5, 7.0])),
    aimed("off", ["inst-2"]),
    between("silent", between=st.sampled_from(WITH_CHANNELS)),
    between("flap"),
    between("lose", times=TIMES),
    between("duplicate", share=st.sampled_from([0.2, 1.0])),
    between("delay", by=a_while(5000), times=TIMES),
    at_server("reject", status=st.sampled_from([401, 429, 500, 503])),
    at_server("unanswered", seen=st.booleans()),
    at_server("accept_late", by=a_while(40_000)),
)
TIMED = st.builds(
    lambda fault, at, lasts: {**fault, "at": at, "for": lasts},
    FAULTS,
    a_while(12_000),
    a_while(15_000),
)


def whom(fault: dict[str, Any]) -> tuple[str, str]:
    """Return what no two faults of a run share: what is down already cannot go down again."""
    aim = str(fault.get("target", fault.get("between")))
    return aim, "crash" if fault["do"] == "off" else str(fault["do"])


def scenario(faults: list[dict[str, Any]], seed: int, external: int, every: str) -> str:
    return yaml.safe_dump(
        {
            "format": 1,
            "name": "random-faults",
            "system": "router",
            "policy": "specified",
            "seed": seed,
            "given": {
                "fleet": {"external": external, "heartbeat": "1s", "dead_after": "3s"},
                "network": {"latency": {"min": "1ms", "max": "20ms"}},
            },
            "timeline": [{"at": "0s", "submit": "task", "id": "t", "repeat": 12, "every": every}],
            "faults": faults,
            "expect": [{"conservation": {"of": ["task"], "accepted_once": True}}],
        }
    )


@pytest.mark.spec("RT-R3", "RT-C2", "RT-C3", "RT-B3", "RT-B4", "F-R9")
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(
    faults=st.lists(TIMED, min_size=1, max_size=4, unique_by=whom),
    seed=st.integers(0, 2**32),
    external=st.sampled_from([0, 1, 10]),
    every=st.sampled_from(["0s", "700ms"]),
)
def test_every_task_ends_once_and_the_places_add_up(
    faults: list[dict[str, Any]],
    seed: int,
    external: int,
    every: str,
    caplog: pytest.LogCaptureFixture,
) -> None:
    text = scenario(faults, seed, external, every)
    (cell,) = expand(parse_scenario(text, "random-faults.yaml"))
    with caplog.at_level("CRITICAL"):
        result = run_once(cell)
    untouched = result.verdict is Verdict.VACUOUS and "affected nothing" in result.reason
    assert result.verdict is Verdict.PASS or untouched, f"{result.reason}\n{text}"
    outcomes = result.metrics["outcomes"]
    assert sum(outcomes.values()) == result.metrics["operations"] == 12
