"""The server: its screen, how it was started, and who manages its windows."""

from __future__ import annotations

import shutil
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor_kit import FAR_S, server_as_told
from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.display.link import Link
from windtunnel_real.display.window_manager import WindowManager
from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.doctor import server as doctor
from windtunnel_real.doctor.seen import ok, warn
from windtunnel_real.errors import DisplayStartError


def test_a_server_of_ours_is_as_it_should_be(server: Xvfb) -> None:
    assert doctor.size(server.screen) == ok("1280×800 pixels")
    assert doctor.density(server.screen) == ok("96")
    assert doctor.reset(server.address.name) == ok("started with -noreset")
    assert doctor.managed(server.address).state == "ok"


def test_a_server_as_xvfb_starts_it_is_not() -> None:
    wrong = ("-ac", "-dpi", "100", "-screen", "0", "1024x768x24")
    with (
        server_as_told(*wrong) as (name, pid),
        closing(Link.open(DisplayAddress(name), timeout=FAR_S)) as link,
    ):
        assert doctor.size(link.screen).state == "bad"
        assert doctor.density(link.screen) == warn("100")
        seen = doctor.reset(name)
    assert (seen.state, f"({pid}) was not started with -noreset" in seen.text) == ("warn", True)


@given(dots=st.integers(50, 300), width=st.integers(640, 7680))
def test_density_is_what_the_millimetres_say(server: Xvfb, dots: int, width: int) -> None:
    # A server knows whole millimetres only.
    screen = replace(server.screen, width=width, width_mm=round(width * 25.4 / dots))
    seen = doctor.density(screen)
    assert abs(int(seen.text) - dots) <= 0.5 + dots / (width * 25.4 / dots)
    assert (seen.state == "ok") == (int(seen.text) in {95, 96, 97})


def test_a_screen_without_millimetres(server: Xvfb) -> None:
    assert doctor.density(replace(server.screen, width_mm=0)).state == "warn"


def test_a_server_whose_process_cannot_be_read(server: Xvfb, tmp_path: Path) -> None:
    seen = doctor.reset(server.address.name, proc=tmp_path)
    assert (seen.state, f"({server.pid})" in seen.text) == ("unseen", True)
    seen = doctor.reset(":654", folder=tmp_path, proc=tmp_path)
    assert (seen.state, "(unknown)" in seen.text) == ("unseen", True)


def test_a_window_manager_that_is_there_is_seen() -> None:
    with server_as_told("-ac", "-noreset") as (name, _):
        address = DisplayAddress(name)
        manager = WindowManager.start(address, timeout=FAR_S)
        try:
            assert doctor.managed(address).state == "warn"
        finally:
            manager.stop()
        assert doctor.managed(address).state == "ok"


def test_openbox_is_tried_and_leaves_nothing(server: Xvfb) -> None:
    assert doctor.openbox(server.address, shutil.which).state == "ok"
    assert doctor.managed(server.address).state == "ok"


def test_openbox_that_is_missing_or_fails(server: Xvfb, monkeypatch: pytest.MonkeyPatch) -> None:
    assert doctor.openbox(server.address, lambda _: None).state == "unseen"

    def start(*_: object, **__: object) -> WindowManager:
        raise DisplayStartError("it ended")

    monkeypatch.setattr(WindowManager, "start", start)
    assert doctor.openbox(server.address, shutil.which) == warn("it ended")
