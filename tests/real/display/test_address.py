"""The address of a display: programs get it, and the process's own environment is left as it is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from windtunnel_real.display.address import DisplayAddress, as_environment

HERE = DisplayAddress(":7", Path("/run/cookie"))


def test_a_program_gets_the_display_and_an_utf8_locale() -> None:
    base = {"PATH": "/bin", "WAYLAND_DISPLAY": "wayland-0", "LC_ALL": "POSIX"}
    assert HERE.environment(base) == {
        "PATH": "/bin",
        "DISPLAY": ":7",
        "XAUTHORITY": "/run/cookie",
        "LC_ALL": "C.UTF-8",
    }


def test_a_display_without_a_cookie_takes_away_that_of_another() -> None:
    assert "XAUTHORITY" not in DisplayAddress(":7").environment({"XAUTHORITY": "/another"})


@pytest.mark.parametrize("before", [None, ":1"])
def test_the_processs_own_comes_back(monkeypatch: pytest.MonkeyPatch, before: str | None) -> None:
    monkeypatch.delenv("XAUTHORITY", raising=False)
    if before is None:
        monkeypatch.delenv("DISPLAY", raising=False)
    else:
        monkeypatch.setenv("DISPLAY", before)

    def fail() -> None:
        with as_environment(HERE):
            assert (os.environ["DISPLAY"], os.environ["XAUTHORITY"]) == (":7", "/run/cookie")
            raise ValueError("inside")

    with pytest.raises(ValueError, match="inside"):
        fail()
    assert os.environ.get("DISPLAY") == before
    assert "XAUTHORITY" not in os.environ
