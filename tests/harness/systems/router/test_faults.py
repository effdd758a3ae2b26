"""The faults: what may be said of each, and what cannot be."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from windtunnel.scenario.reading.entries import FaultMoment
from windtunnel.systems.router.faults import FAULTS
from windtunnel.world import WorldSpec
from windtunnel_models.world import SimWorld

AT = {"target": "dispatcher", "path": "/api/task"}
KEY = {"seen": "after"}
"""What is written → what the world reads, where they differ."""
BETWEEN = {"between": ["backend", "dispatcher"]}


def test_the_simulated_world_knows_each_of_them() -> None:
    world = SimWorld(WorldSpec(parts=("cluster",)))
    known = {kind for part in world.parts.values() for kind in part.fault_kinds}
    assert known == FAULTS.keys()


@pytest.mark.parametrize(
    ("do", "said"),
    [
        ("crash", {"target": "backend"}),
        ("crash", {"target": ["inst-0", "bridge-1"]}),
        ("off", {"target": "inst-1"}),
        ("on", {"target": ["inst-1"]}),
        ("partition", {"target": "bridge-0"}),
        ("silent", BETWEEN),
        ("flap", BETWEEN),
        ("lose", {**BETWEEN, "share": 0.5}),
        ("duplicate", {**BETWEEN, "times": 2}),
        ("delay", {**BETWEEN, "by": "900ms"}),
        ("reject", {**AT, "status": 401, "times": 1}),
        ("reject", {**AT, "status": 200, "body": {"code": 421}}),
        ("unanswered", AT),
        ("unanswered", {**AT, "seen": True, "times": 1}),
        ("accept_late", {**AT, "by": "29900ms"}),
        ("store_down", {"target": "backend"}),
        ("fail_work", {"target": ["inst-0", "external"], "times": 3}),
        ("slow_work", {"target": "external", "by": 2.5}),
        ("occupy", {"slots": 4}),
    ],
)
def test_what_can_be_said(do: str, said: dict[str, Any]) -> None:
    plain = FAULTS[do].model_validate(said).model_dump()
    for key, value in said.items():
        if key == "target" and isinstance(value, str) and isinstance(plain[key], tuple):
            assert plain[key] == (value,)
        elif isinstance(value, list):
            assert plain[key] == tuple(value)
        elif key != "by":
            assert plain[KEY.get(key, key)] == value


def test_no_field_is_one_that_every_fault_has() -> None:
    own = {info.alias or name for name, info in FaultMoment.model_fields.items()}
    for model in FAULTS.values():
        assert not own & {info.alias or name for name, info in model.model_fields.items()}


@pytest.mark.parametrize(
    ("do", "said", "told"),
    [
        ("crash", {"target": []}, "at least 1"),
        ("crash", {"target": "instance-0"}, "is no host or instance"),
        ("off", {"target": "bridge-0"}, "is no instance"),
        ("silent", {"between": ["backend", "backend"]}, "two hosts"),
        ("silent", {"between": ["backend", "inst-0"]}, "is no host"),
        ("lose", BETWEEN, "one of them"),
        ("lose", {**BETWEEN, "share": 0.5, "times": 1}, "one of them"),
        ("duplicate", {**BETWEEN, "share": 0}, "greater than 0"),
        ("delay", {**BETWEEN, "by": "0s"}, "greater than 0"),
        ("reject", {**AT, "status": 99}, "greater than or equal to 100"),
        ("reject", {**AT, "path": "api/task", "status": 500}, "is no path"),
        ("store_down", {"target": "bridge-0"}, "no program with a store"),
        ("fail_work", {"target": "dispatcher"}, "no place of work"),
        ("slow_work", {"target": "inst-0", "by": 0}, "greater than 0"),
        ("slow_work", {"target": "inst-0", "by": 1e300}, "less than or equal to 1000000"),
        ("occupy", {"slots": 0}, "greater than or equal to 1"),
        ("occupy", {"slots": 10**19}, "less than or equal to 1000000"),
        ("silent", {"between": ["backend"]}, "two hosts are needed"),
        ("silent", {"between": "backend"}, "two hosts are needed"),
        ("reject", {**AT, "status": "500"}, "valid integer"),
    ],
)
def test_what_cannot_be_is_refused(do: str, said: dict[str, Any], told: str) -> None:
    with pytest.raises(ValidationError, match=told):
        FAULTS[do].model_validate(said)
