"""The records: what was saved is there, for a reader, the next process, and after a kill."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from standin_kit import ROOT, Standin, standin
from windtunnel.ports import Message
from windtunnel.wechat.database import Database
from windtunnel.wechat.tables import REVOKED
from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.errors import StandinError
from windtunnel_real.standin.records import FILE, Records, read_records

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5)
CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("message"), NAMES, NAMES, st.booleans()),
        st.tuples(st.just("request"), NAMES),
        st.tuples(st.just("accept"), NAMES),
        st.tuples(st.just("ask"), NAMES),
        st.tuples(st.just("name"), NAMES, NAMES),
        st.tuples(st.just("moment"), NAMES, NAMES),
        st.tuples(st.just("revoke")),
        st.tuples(st.just("account"), st.sampled_from(["logged_out", "qr", "logged_in"])),
        st.tuples(st.just("save")),
    ),
    max_size=15,
)


def change(database: Database, what: str, *args: Any) -> None:
    match what, *args:
        case "message", contact, text, outgoing:
            database.add_message(contact, text, outgoing=outgoing)
        case "request", who:
            database.requests = (*database.requests, who)
        case "accept", who:
            database.accept(who)
        case "ask", who:
            database.ask(who)
        case "name", who, remark:
            database.name(who, remark)
        case "moment", kind, text:
            database.add_moment(kind, text)
        case ("revoke",):
            for message in database.messages[:1]:
                database.revoke(message)
        case "account", state:
            database.account = state


def content(database: Database) -> dict[str, Any]:
    return {name: getattr(database, name) for name in Database.PARTS}


@given(CHANGES)
def test_the_next_process_and_a_reader_find_what_was_saved(changes: list[tuple[Any, ...]]) -> None:
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        records = Records(folder, "logged_in")
        for what, *args in changes:
            if what == "save":
                records.save()
            else:
                change(records.database, what, *args)
        records.save()
        assert not records.save()
        wanted = content(records.database)
        assert read_records(folder) == (wanted["requests"], tuple(wanted["messages"]))
        records.close()
        again = Records(folder, "qr")
        assert content(again.database) == wanted
        again.close()


def test_a_message_that_is_taken_back_is_written_again(tmp_path: Path) -> None:
    records = Records(tmp_path, "logged_in")
    for text in ("one", "two", "three"):
        records.database.add_message("bob", text)
    records.save()
    records.database.revoke(records.database.messages[1])
    assert records.save()
    assert [each.text for each in read_records(tmp_path)[1]] == ["one", REVOKED, "three"]
    records.close()


def test_the_first_state_is_for_an_empty_folder_only(tmp_path: Path) -> None:
    records = Records(tmp_path, "qr")
    assert records.database.account == "qr"
    records.close()
    assert Records(tmp_path, "logged_in").database.account == "qr"


def test_a_reader_of_nothing_finds_nothing(tmp_path: Path) -> None:
    assert read_records(tmp_path / "none") == ((), ())
    Records(tmp_path, "qr").close()
    assert read_records(tmp_path) == ((), ())
    assert [file.name for file in tmp_path.iterdir()] == [FILE]


def test_what_is_no_database_is_told(tmp_path: Path) -> None:
    (tmp_path / FILE).write_bytes(b"no database" * 200)
    with pytest.raises(StandinError, match="cannot be read"):
        read_records(tmp_path)
    with pytest.raises(StandinError, match="cannot keep its database"):
        Records(tmp_path, "qr")


def test_a_reader_never_sees_half_of_a_change(tmp_path: Path) -> None:
    """A writer that is killed while it writes: each message has the request saved with it."""
    program = """
import sys, time; from pathlib import Path
from windtunnel_real.standin.records import Records
records = Records(Path(sys.argv[1]), "logged_in")
for number in range(10**6):
    records.database.add_message("bob", str(number))
    records.database.requests = (str(number),)
    records.save()
    time.sleep(0.0005)
"""
    paths = os.pathsep.join(str(ROOT / name) for name in ("harness", "real"))
    writer = subprocess.Popen(
        [sys.executable, "-c", program, str(tmp_path)], env=os.environ | {"PYTHONPATH": paths}
    )
    try:
        seen = 0
        while seen < 60:
            assert writer.poll() is None
            requests, messages = read_records(tmp_path)
            assert requests == tuple(each.text for each in messages[-1:])
            seen = max(seen, len(messages))
    finally:
        writer.send_signal(signal.SIGKILL)
        writer.wait()
    requests, messages = read_records(tmp_path)
    assert len(messages) >= seen
    assert requests == (messages[-1].text,)
    assert [each.id for each in messages] == list(range(1, len(messages) + 1))


@pytest.mark.spec("UI-F4")
def test_a_kill_loses_nothing_that_was_told(address: DisplayAddress, tmp_path: Path) -> None:
    with standin(address, tmp_path, "--first", "--session", "bob") as app:
        app.click("input")
        for number in range(5):
            app.hands.type(f"n{number}")
            app.hands.key("Return")
        app.ask("drain")
        app.ask("request", **{"from": "eve"})
        app.kill()
        delivered = [line for line in app.wire.lines if line["kind"] == "message.delivered"]
        requests, messages = read_records(tmp_path / "data")
        assert requests == ("eve",)
        assert {each["details"]["text"] for each in delivered} <= {each.text for each in messages}
        assert messages == tuple(Message(n + 1, "bob", f"n{n}", outgoing=True) for n in range(5))
    with standin(address, tmp_path, "--first") as again:
        again.ask("receive", **{"from": "bob", "text": "late"})
        assert read_records(tmp_path / "data")[1][-1] == Message(6, "bob", "late", outgoing=False)
        assert _state_of(again) == "logged_in"


def _state_of(app: Standin) -> str:
    account: str = app.state()["account"]
    return account
