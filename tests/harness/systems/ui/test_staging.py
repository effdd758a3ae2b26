"""The staging: a window at the start of an action, an error at its end."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from windtunnel.errors import BridgeError
from windtunnel.systems.ui.given import Given
from windtunnel.systems.ui.staging import Stage, stages


def given(**said: Any) -> Given:
    return Given.model_validate(said)


def test_only_what_is_staged_is_listed() -> None:
    actions = {"like": {"duration": "1s"}, "comment": {"raises": "TIMEOUT"}}
    assert stages(given(actions=actions)) == {"comment": Stage(0, "TIMEOUT")}


@pytest.mark.spec("UI-C1")
@pytest.mark.parametrize(("wiring", "window"), [("before", 0), ("phase1", 0), ("after", 2)])
def test_a_window_is_opened_in_after_alone(wiring: str, window: int) -> None:
    found = stages(given(wiring=wiring, actions={"like": {"window": "2s"}}))
    assert found == ({"like": Stage(window, None)} if window else {})


@pytest.mark.parametrize("action", ["restart", "autofix"])
def test_the_bridge_opens_its_own_windows_itself(action: str) -> None:
    assert stages(given(actions={action: {"window": "2s"}})) == {}


@pytest.mark.parametrize("code", [None, "TIMEOUT"])
def test_the_window_before_the_error_after(code: str | None) -> None:
    told: list[Any] = []

    async def act() -> str:
        told.append("act")
        return "result"

    async def main() -> Any:
        return await Stage(2.0, code).run(act, told.append)

    if code is None:
        assert asyncio.run(main()) == "result"
    else:
        with pytest.raises(BridgeError, match=code):
            asyncio.run(main())
    assert told == [2.0, "act"]
