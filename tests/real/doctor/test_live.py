"""A live display: looked at as a whole, with what each hindrance spoils and what it does not."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest

from doctor_kit import FAR_S, server_as_told, write_program
from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.display.attached import Attached
from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.doctor import live, settings
from windtunnel_real.doctor.live import BY_PACKAGES, look_at_display, two_at_once
from windtunnel_real.doctor.seen import Seen, bad
from windtunnel_real.x11.connection import Connection
from windtunnel_real.x11.xlib import XDisplay


def states(found: dict[str, Seen]) -> set[str]:
    return {seen.state for seen in found.values()}


def test_a_display_of_ours_is_seen_whole_and_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[Xvfb] = []
    start = Xvfb.start

    def remembered(*args: object, **named: object) -> Xvfb:
        started.append(start(*args, **named))  # type: ignore[arg-type]
        return started[-1]

    monkeypatch.setattr(Xvfb, "start", remembered)
    found = look_at_display(None)
    assert found.keys() >= {"start", "parallel", "reset", "screen", "dpi", *BY_PACKAGES}
    assert states(found) == {"ok"}
    assert len(started) == 2
    assert [server.alive() for server in started] == [False, False]


def test_a_display_that_was_there_stays() -> None:
    with server_as_told("-ac", "-noreset", "-screen", "0", "1280x800x24", "-dpi", "96") as (
        name,
        pid,
    ):
        found = look_at_display(name)
        os.kill(pid, 0)
        assert "parallel" not in found
        assert states(found) == {"ok"}
        Attached.to(name).stop()


def test_a_display_that_is_not_there() -> None:
    found = look_at_display(":654")
    assert found.keys() == {"start"}
    assert (found["start"].state, ":654" in found["start"].text) == ("bad", True)


def test_a_display_whose_server_is_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_PATIENCE_S", 0.5)
    with server_as_told("-ac") as (name, pid):
        os.kill(pid, signal.SIGSTOP)
        found = look_at_display(name)
    assert found.keys() == {"start"}
    assert "does not answer within 0.5 s" in found["start"].text


def test_a_display_that_somebody_grabs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "_PATIENCE_S", 0.5)

    async def look(name: str) -> dict[str, Seen]:
        connection = await Connection.open(DisplayAddress(name), FAR_S)
        await connection.call(lambda display: display.grab_server(), FAR_S)
        found = await asyncio.to_thread(look_at_display, name)
        await connection.close()
        return found

    with server_as_told("-ac") as (name, _):
        found = asyncio.run(look(name))
    assert found.keys() == {"start"}
    assert "does not answer within 0.5 s" in found["start"].text


def test_a_server_that_stops_in_the_middle_is_waited_for_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(live, "_PATIENCE_S", 2.0)
    with server_as_told("-ac", "-noreset") as (name, pid):

        def stop(display: XDisplay) -> Seen:
            os.kill(pid, signal.SIGSTOP)
            return settings.key_repeat(display)

        monkeypatch.setattr(settings, "PROBES", {**settings.PROBES, "keyboard": stop})
        found = asyncio.run(live._by_packages(DisplayAddress(name)))
    assert found["xtest"].state == "ok"
    assert found["keyboard"] == bad("no answer within 2 s")
    assert {found[kind].state for kind in BY_PACKAGES[2:]} == {"unseen"}


def test_an_xvfb_that_does_not_start(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    write_program(tmp_path, "Xvfb", "echo no room >&2; exit 1")
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    found = look_at_display(None)
    assert found.keys() == {"start"}
    assert "no room" in found["start"].text


def test_a_package_that_is_missing_hides_only_what_needs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in [name for name in sys.modules if name.startswith("windtunnel_real.")]:
        if name.partition(".")[2] in {"doctor.settings", "doctor.try_out"}:
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.delattr("windtunnel_real.doctor.settings", raising=False)
    monkeypatch.delattr("windtunnel_real.doctor.try_out", raising=False)
    monkeypatch.setitem(sys.modules, "windtunnel_real.x11.xlib", None)
    found = look_at_display(None)
    assert {kind for kind, seen in found.items() if seen.state == "unseen"} == set(BY_PACKAGES)
    assert states({kind: seen for kind, seen in found.items() if kind not in BY_PACKAGES}) == {"ok"}


def test_a_window_that_cannot_be_shown_is_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    address = DisplayAddress(":654")
    found = asyncio.run(live._by_packages(address))
    assert found.keys() == set(BY_PACKAGES)
    assert found.pop("click").state == "bad"
    assert states(found) == {"unseen"}


def test_two_displays_of_one_number_are_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    class Same:
        address = DisplayAddress(":1")

        def stop(self) -> None: ...

    monkeypatch.setattr(Xvfb, "start", lambda **_: Same())
    assert two_at_once(":1") == bad("both are :1")
    assert two_at_once(":2").state == "ok"
