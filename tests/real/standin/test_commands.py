"""The commands: each does to the running application what it says."""

from __future__ import annotations

import select
import signal
import time

import pytest

from standin_kit import Owner, Standin, until
from windtunnel.ports import Frame
from windtunnel.wechat.screen import Screen
from windtunnel_real.pictures.finding import find
from windtunnel_real.standin import drawing
from windtunnel_real.standin.commands import LOGINS, PARTS
from windtunnel_real.standin.records import read_records


def test_the_state_is_all_of_the_screen(app: Standin) -> None:
    state = app.state()
    assert set(PARTS) == Screen.PARTS - {"sessions"}
    assert set(PARTS) <= set(state)
    assert state["sessions"] == ["filehelper", "alice"]
    assert (state["account"], state["pid"]) == ("logged_in", app.process.pid)


def test_a_drain_comes_after_everything_that_came_before_it(app: Standin) -> None:
    app.click("input")
    for number in range(30):
        app.hands.type(f"m{number}")
        app.hands.key("Return")
    app.ask("drain")
    told = [
        line["details"]["text"] for line in app.wire.lines if line["kind"] == "message.delivered"
    ]
    assert told == [f"m{number}" for number in range(30)]


def test_a_drain_waits_for_a_paste_that_is_under_way(app: Standin) -> None:
    app.click("input")
    with Owner(app.hands.display, "你好".encode(), 0) as owner:
        app.hands.key("ctrl+v")
        app.wire.socket.sendall(b'{"id": 0, "do": "drain"}\n')
        owner.serve()
        assert app.wire.reply() == {"id": 0, "ok": True}
    assert [line["details"]["text"] for line in app.wire.lines if line["kind"] == "text"] == [
        "你好"
    ]


def test_a_drain_comes_after_the_window_shows_it(app: Standin) -> None:
    app.ask("drain")
    before = app.hands.frame()
    for _ in range(5):
        app.hands.click(*_point(app, "moments"))
        app.ask("drain")
        moments = app.hands.frame()
        assert moments != before
        assert app.find("like") is not None
        app.hands.click(*_point(app, "session"))
        app.ask("drain")
        assert app.find("like") is None


def test_a_reply_comes_after_the_window_shows_what_was_done(app: Standin) -> None:
    for state in LOGINS * 4:
        app.ask("login", state=state)
        tile = drawing.badge(state)
        assert find(app.hands.frame(), Frame(tile.width, tile.height, tile.pixels))


def _point(app: Standin, target: str) -> tuple[int, int]:
    place = app.ask("reveal", target=target)
    return place["x"], place["y"]


def test_revealing_changes_no_state(app: Standin) -> None:
    before = app.state()
    for who in ("zoe", "yan", "xi"):
        app.ask("reveal", target=f"session:{who}")
        app.ask("reveal", target=f"contact:{who}")
    assert app.state() == before
    app.click("session:zoe")
    assert app.state()["session"] == "zoe"


def test_it_hangs_for_as_long_as_it_is_told(app: Standin) -> None:
    begun = time.monotonic()
    app.ask("hang", seconds=0.3)
    app.ask("state")
    assert time.monotonic() - begun >= 0.3  # no less; how much more is not said


def test_a_hang_ends_with_sigcont(app: Standin) -> None:
    app.ask("hang", seconds=900_000)
    app.wire.socket.sendall(b'{"id": 0, "do": "state"}\n')

    def answers() -> bool:
        app.process.send_signal(signal.SIGCONT)  # again: the first may come before it hangs
        return bool(select.select([app.wire.socket], [], [], 0.05)[0])

    until(answers)
    assert app.wire.reply()["ok"]


@pytest.mark.parametrize(("do", "code"), [("die", 1), ("crash", -signal.SIGSEGV)])
def test_it_ends_as_it_is_told(app: Standin, do: str, code: int) -> None:
    with pytest.raises((EOFError, ConnectionError)):
        app.ask(do)
    assert app.process.wait(60) == code


def test_a_stopped_process_goes_on(app: Standin) -> None:
    app.process.send_signal(signal.SIGSTOP)
    app.hands.click(*(470, 500))
    app.hands.type("later")
    app.process.send_signal(signal.SIGCONT)
    assert app.state()["drafts"] == {"alice": "later"}


def test_logging_in_and_out_from_elsewhere(app: Standin) -> None:
    app.click("input")
    app.hands.type("draft")
    app.ask("login", state="logged_out")
    assert app.state()["login"] == "logged_out"
    app.ask("login", state="logged_out")
    app.ask("login", state="logged_in")
    state = app.state()
    assert (state["login"], state["session"], state["drafts"]) == (
        "logged_in",
        None,
        {"alice": "draft"},
    )
    assert [line["state"] for line in app.lines("wechat.login")] == ["logged_out", "logged_in"]


def test_a_friend_asks_once(app: Standin) -> None:
    for _ in range(2):
        app.ask("request", **{"from": "eve"})
    assert app.lines("friend.requested") == [{"resource": "eve"}]
    assert read_records(app.folder / "data")[0] == ("eve",)


def test_a_message_comes_in(app: Standin) -> None:
    app.ask("receive", **{"from": "eve", "text": "hello"})
    assert app.lines("message.received") == [{"resource": "eve", "text": "hello"}]
    assert app.state()["sessions"][-1] == "eve"
    (message,) = read_records(app.folder / "data")[1]
    assert (message.contact, message.text, message.outgoing) == ("eve", "hello", False)


def test_what_was_typed_is_over_with_a_word_on_the_wire(app: Standin) -> None:
    app.click("search")
    app.hands.type("al")
    app.ask("drain")
    app.hands.type("ice")
    assert app.state()["result"] is None
