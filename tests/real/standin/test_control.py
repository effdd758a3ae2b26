"""The control: every line is answered, everybody hears the log, nobody who hangs holds it up."""

from __future__ import annotations

import json
import socket
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from standin_kit import Standin, Wire
from windtunnel_real.errors import StandinError
from windtunnel_real.standin.control import LONGEST_LINE, Control, reply


@given(st.binary(max_size=200).filter(lambda line: b"\n" not in line))
def test_any_line_has_a_reply(line: bytes) -> None:
    def answer(request: Any) -> Any:
        return {"got": dict(request)}

    found = reply(line, answer)
    json.dumps(found)
    assert found["ok"] in (True, False)
    assert found["ok"] or found["error"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{", "not a line of JSON"),
        (b"\xff\xfe", "not a line of JSON"),
        (b"[" * 100_000, "not a line of JSON"),
        (b"[1]", "a request is a JSON object"),
        (b'{"id": 7}', "unknown request None"),
        (b'{"id": 7, "do": "dance"}', "unknown request 'dance'"),
        (b'{"id": 7, "do": ["drain"]}', "unknown request"),
        (b'{"id": 7, "do": "slow", "ms": true}', "wants a number"),
        (b'{"id": 7, "do": "slow", "ms": NaN}', "wants a number"),
        (b'{"id": 7, "do": "title", "title": "\\ud800"}', "no Unicode text"),
        (b'{"id": 7, "do": "reveal", "target": "confirm"}', "has no place"),
        (b'{"id": 7, "do": "login", "state": "gone"}', "unknown log-in state"),
    ],
)
def test_what_is_wrong_is_said_and_nothing_breaks(app: Standin, line: bytes, said: str) -> None:
    found = app.wire.raw(line)
    assert not found["ok"]
    assert said in found["error"]
    assert found["id"] == (7 if b"7" in line else None)
    assert app.state()["login"] == "logged_in"


def test_everybody_hears_the_log_in_order(app: Standin) -> None:
    other = Wire(app.control)
    try:
        other.ask("state")
        app.click("input")
        app.hands.type("hello")
        app.hands.key("Return")
        app.ask("drain")
        other.ask("drain")
        assert other.lines == app.wire.lines
        assert [line["kind"] for line in other.lines] == [
            "click",
            "text",
            "key",
            "message.delivered",
        ]
        told = [json.loads(line) for line in app.log.read_text("utf-8").splitlines()]
        assert told == app.wire.lines
    finally:
        other.close()


def test_replies_come_in_order(app: Standin) -> None:
    requests = [{"id": f"n{n}", "do": "state"} for n in range(50)]
    app.wire.socket.sendall("".join(json.dumps(each) + "\n" for each in requests).encode())
    assert [app.wire.reply()["id"] for _ in requests] == [each["id"] for each in requests]


def test_a_client_that_never_reads_holds_nobody_up(app: Standin) -> None:
    deaf = Wire(app.control)
    try:
        deaf.socket.settimeout(None)
        text = "x" * 100_000
        for _ in range(20):
            app.ask("receive", **{"from": "bob", "text": text})
        assert app.state()["login"] == "logged_in"
        deaf.ask("state")
        assert len(deaf.lines) == 20
    finally:
        deaf.close()


def test_a_client_that_goes_in_the_middle(app: Standin) -> None:
    for sent in (b"", b'{"id": 1', b'{"id": 1, "do": "drain"}\n', b"x" * (LONGEST_LINE + 10)):
        gone = Wire(app.control)
        try:
            gone.socket.sendall(sent)
        except OSError:
            assert len(sent) > LONGEST_LINE
        gone.close()
    assert app.state()["login"] == "logged_in"


def test_the_socket_is_its_owners_alone(tmp_path: Path) -> None:
    control = Control(tmp_path / "new" / "c")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "new" / "c").stat().st_mode) & 0o077 == 0
    control.listener.close()
    again = Control(tmp_path / "new" / "c")
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.connect(str(tmp_path / "new" / "c"))
        assert again.accept() is not None
    for each in again.clients:
        each.connection.close()
    again.listener.close()


def test_a_path_that_cannot_be_is_told(tmp_path: Path) -> None:
    with pytest.raises(StandinError, match="cannot listen on"):
        Control(tmp_path / ("long" * 40) / "c")
