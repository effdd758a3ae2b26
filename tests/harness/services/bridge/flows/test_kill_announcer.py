"""KillAnnouncer: every announcement counts and is noted."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.errors import Code
from windtunnel.services.bridge.flows.kill_announcer import KillAnnouncer, killed


@pytest.mark.spec("UI-W6")
def test_each_kill_counts_is_noted_and_logged(world: Any, caplog: pytest.LogCaptureFixture) -> None:
    announcer = KillAnnouncer(world.note)
    announcer.announce()
    announcer.announce()
    assert announcer.kills == 2
    assert world.notes == [("kill.announced", "", {})] * 2
    assert "wechat_killed" in caplog.text


@pytest.mark.spec("UI-W6", "UI-W4")
def test_a_flow_that_learns_of_it_has_lost_its_window() -> None:
    assert killed().code == Code.WINDOW_NOT_FOUND
