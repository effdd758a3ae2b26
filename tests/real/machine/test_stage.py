"""The stage: a display of the run's own, or one that is there, which stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from display_kit import is_gone
from windtunnel.world import WorldOptions
from windtunnel_real.display.link import Link
from windtunnel_real.display.window_manager import WindowManager, is_managed
from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.errors import DisplayStartError
from windtunnel_real.machine.stage import WINDOW_MANAGERS, open_display


def managed(display: Xvfb) -> bool:
    link = Link.open(display.address, timeout=60)
    try:
        return is_managed(link, timeout=60)
    finally:
        link.close()


def test_a_display_of_its_own_goes_with_the_run() -> None:
    with open_display(WorldOptions()) as display:
        assert isinstance(display, Xvfb)
        assert display.alive()
        assert not managed(display)
    assert is_gone(display.pid)


@pytest.mark.parametrize("manager", WINDOW_MANAGERS)
def test_a_window_manager_goes_with_it(manager: str) -> None:
    with open_display(WorldOptions(window_manager=manager)) as display:
        assert isinstance(display, Xvfb)
        assert managed(display)
    assert is_gone(display.pid)


def test_a_window_manager_that_cannot_start_leaves_no_display(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    started: list[Xvfb] = []
    start = Xvfb.start

    def noted() -> Xvfb:
        started.append(start())
        return started[0]

    def fails(_: object) -> WindowManager:
        raise DisplayStartError("no openbox today")

    monkeypatch.setattr(Xvfb, "start", noted)
    monkeypatch.setattr(WindowManager, "start", fails)
    options = WorldOptions(window_manager="openbox")
    with pytest.raises(DisplayStartError, match="no openbox today"), open_display(options):
        pass
    assert is_gone(started[0].pid)


def test_one_that_is_there_is_attached_to_by_the_cookie_that_is_named_and_stays(
    fresh_xvfb: Xvfb, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XAUTHORITY", str(fresh_xvfb.address.authority))
    with open_display(WorldOptions(display=fresh_xvfb.address.name)) as display:
        assert display.address.name == fresh_xvfb.address.name
        assert display.alive()
    assert not display.alive()
    assert fresh_xvfb.alive()


def test_one_that_refuses_us_is_no_display(
    fresh_xvfb: Xvfb, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XAUTHORITY", str(tmp_path / "none"))
    monkeypatch.setenv("HOME", str(tmp_path))
    options = WorldOptions(display=fresh_xvfb.address.name)
    with pytest.raises(DisplayStartError), open_display(options):
        pass
