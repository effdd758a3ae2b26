"""The faults: what each may say, and what is refused where it stands."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from windtunnel.systems.ui import UISystem
from windtunnel.systems.ui.faults import FAULTS
from windtunnel.units import SECOND


def test_are_the_systems_own() -> None:
    assert UISystem().faults is FAULTS


@pytest.mark.parametrize(
    ("do", "said", "data"),
    [
        ("kill", {}, {"target": "wechat"}),
        ("hang", {"target": "capture"}, {"target": ("capture",), "times": None}),
        (
            "hang",
            {"target": ["click_search", "run"], "times": 2},
            {"target": ("click_search", "run"), "times": 2},
        ),
        ("slow", {"target": "click", "by": "2s"}, {"target": ("click",), "by": 2 * SECOND}),
        (
            "fail",
            {"target": "verify", "code": "TARGET_NOT_FOUND", "times": 1},
            {"target": ("verify",), "code": "TARGET_NOT_FOUND", "times": 1},
        ),
        ("lose_window", {}, {}),
        ("slow_autostart", {"delay": "30s"}, {"delay": 30 * SECOND}),
        ("slow_autostart", {"delay": None}, {"delay": None}),
        ("popup", {}, {}),
        ("second_person", {"click": "menu"}, {"click": "menu", "types": None}),
        ("second_person", {"types": "hi"}, {"click": None, "types": "hi"}),
        ("log_out", {}, {}),
        ("log_in", {}, {}),
    ],
)
def test_reach_the_world_as_plain_data(do: str, said: Any, data: Any) -> None:
    assert FAULTS[do].model_validate(said).model_dump() == data


@pytest.mark.parametrize(
    ("do", "said", "where", "message"),
    [
        ("kill", {"target": "chrome"}, "target", "wechat"),
        ("hang", {}, "target", "required"),
        ("hang", {"target": []}, "target", "at least 1"),
        ("hang", {"target": "clik"}, "target.0", "did you mean `click`?"),
        ("hang", {"target": ["click", "verfy"]}, "target.1", "did you mean `verify`?"),
        ("hang", {"target": "click", "times": 0}, "times", "greater than or equal to 1"),
        ("slow", {"target": "click", "by": "0s"}, "by", "greater than 0"),
        ("slow", {"target": "click"}, "by", "required"),
        ("fail", {"target": "click", "code": "OOPS"}, "code", "WINDOW_NOT_FOUND"),
        ("fail", {"target": "click"}, "code", "required"),
        ("slow_autostart", {}, "delay", "required"),
        ("second_person", {}, "", "`click` or `types`"),
        ("second_person", {"click": "menu", "types": "hi"}, "", "`click` or `types`"),
        ("second_person", {"click": "mneu"}, "click", "did you mean `menu`?"),
        ("second_person", {"types": ""}, "types", "at least 1 character"),
        ("popup", {"target": "menu"}, "target", "not permitted"),
    ],
)
def test_what_makes_no_sense_is_refused(do: str, said: Any, where: str, message: str) -> None:
    with pytest.raises(ValidationError) as refused:
        FAULTS[do].model_validate(said)
    (error,) = refused.value.errors()
    assert ".".join(map(str, error["loc"])) == where
    assert message in error["msg"]
