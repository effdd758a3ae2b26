"""The program: how a process begins and ends, with what is there from the one before it."""

from __future__ import annotations

import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from standin_kit import PATIENCE_S, Standin, end, standin, until
from windtunnel_real.display.address import DisplayAddress


def shown(app: Standin) -> dict[str, Any]:
    until(lambda: app.ask("state")["window"])
    return app.state()


@pytest.mark.parametrize(
    ("account", "restores", "login"),
    [
        ("logged_in", "yes", "logged_in"),
        ("logged_in", "no", "qr"),
        ("logged_out", "yes", "qr"),
        ("qr", "yes", "qr"),
    ],
)
def test_a_later_start_is_logged_in_where_the_account_is(
    address: DisplayAddress, tmp_path: Path, account: str, restores: str, login: str
) -> None:
    with standin(address, tmp_path, "--state", account, "--restores-login", restores) as app:
        state = shown(app)
        assert (state["login"], state["account"], state["session"]) == (login, login, None)
        events = [line["kind"] for line in app.told()]
        assert events == ["wechat.shown"] + (["wechat.login"] if login != account else [])


@pytest.mark.parametrize("account", ["logged_in", "logged_out", "qr"])
def test_the_first_is_there_as_the_account_is(
    address: DisplayAddress, tmp_path: Path, account: str
) -> None:
    with standin(address, tmp_path, "--first", "--state", account, "--session", "bob") as app:
        state = app.ask("state")
        assert (state["window"], state["login"]) == (True, account)
        assert state["session"] == ("bob" if account == "logged_in" else None)
        assert app.wire.lines == []


def test_a_new_process_begins_afresh_with_what_was_written_down(
    address: DisplayAddress, tmp_path: Path
) -> None:
    with standin(address, tmp_path, "--first", "--session", "bob") as app:
        app.click("input")
        app.hands.type("sent")
        app.hands.key("Return")
        app.hands.type("a draft")
        app.ask("drain")
        app.kill(signal.SIGTERM)
        assert app.process.returncode == -signal.SIGTERM
    with standin(address, tmp_path) as again:
        state = shown(again)
        assert (state["login"], state["session"], state["drafts"]) == ("logged_in", None, {})
        assert state["sessions"] == ["filehelper"]
        kinds = [line["kind"] for line in again.told()]
        assert kinds.count("message.delivered") == 1
        assert kinds[-1] == "wechat.shown"


def test_a_second_start_shows_the_first(app: Standin) -> None:
    app.ask("unmap")
    second = app.launch()
    try:
        assert second.wait(PATIENCE_S) == 0
    finally:
        end(second)
    until(lambda: app.ask("state")["window"])
    assert app.process.poll() is None
    assert [line["pid"] for line in app.lines("wechat.shown")] == [app.process.pid]


def test_a_start_while_the_one_before_dies_takes_its_place(app: Standin) -> None:
    app.process.send_signal(signal.SIGKILL)
    second = app.launch()
    try:
        app.process.wait(PATIENCE_S)
        until(lambda: [line["kind"] for line in app.told()] == ["wechat.shown"])
        assert second.poll() is None
    finally:
        end(second)


def test_a_start_beside_one_that_hangs_gives_up(app: Standin) -> None:
    app.process.send_signal(signal.SIGSTOP)
    second = app.launch()
    try:
        assert second.wait(PATIENCE_S) == 1
        assert b"does not answer" in second.stderr.read()  # type: ignore[union-attr]
    finally:
        end(second)


def test_the_window_is_not_there_before_its_time(address: DisplayAddress, tmp_path: Path) -> None:
    begun = time.monotonic_ns()
    with standin(address, tmp_path, "--start-up", "0.7") as app:
        shown(app)
        (line,) = (each for each in app.told() if each["kind"] == "wechat.shown")
        assert line["at"] - begun >= 700_000_000


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--data", "/proc/none"), b"/proc/none"),
        (("--log", "/proc/none/log"), b"cannot be written"),
        (("--control", "long" * 40), b"cannot listen"),
        (("--display", ":4242"), b":4242"),
        (("--start-up", "-1"), b"number of seconds"),
        (("--state", "gone"), b"invalid choice"),
    ],
)
def test_a_mistake_is_told_without_a_traceback(
    app: Standin, tmp_path: Path, arguments: tuple[str, str], said: bytes
) -> None:
    app.kill()
    process: subprocess.Popen[bytes] = app.launch(*arguments)
    try:
        assert process.wait(PATIENCE_S) in (1, 2)
        told = process.stderr.read()  # type: ignore[union-attr]
        assert said in told
        assert b"Traceback" not in told
    finally:
        end(process)
