"""The loop: it serves display, sockets and clock together, and ends with its display."""

from __future__ import annotations

from pathlib import Path

from standin_kit import Standin, standin, until
from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.display.xvfb import Xvfb


def test_it_answers_before_its_window_comes_up(address: DisplayAddress, tmp_path: Path) -> None:
    with standin(address, tmp_path, "--start-up", "900") as app:
        state = app.state()
        assert (state["window"], state["window_id"], state["login"]) == (False, None, "unknown")
        assert not app.wire.raw(b'{"id": 1, "do": "map"}')["ok"]
        app.ask("again")
        assert not app.state()["window"]


def test_it_comes_up_by_the_clock_alone(address: DisplayAddress, tmp_path: Path) -> None:
    with standin(address, tmp_path, "--start-up", "0.8") as app:
        until(lambda: app.ask("state")["window"])
        (line,) = app.told()
        assert (line["kind"], line["details"]) == ("wechat.shown", {"pid": app.process.pid})


def test_what_nobody_asks_for_is_told_after_a_silence(app: Standin) -> None:
    app.hands.type("lost")
    until(lambda: [line["kind"] for line in app.told()] == ["text", "text.misplaced"])


def test_it_ends_with_its_display(tmp_path: Path) -> None:
    display = Xvfb.start()
    try:
        app = Standin(display.address, tmp_path, "--first")
        try:
            display.stop()
            assert app.process.wait(60) == 1
            assert b"display is gone" in app.process.stderr.read()  # type: ignore[union-attr]
        finally:
            app.end()
    finally:
        display.stop()
