"""The records: the application's database as it lies on disk, written and read.

A file of SQLite in the data folder. What was written survives the writer's being killed at any
instant; it may be read while it is written. Imports the state machine's database and the ports.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from windtunnel.ports import LoginState, Message
from windtunnel.wechat.accesses import Accesses, Mode
from windtunnel.wechat.database import Database
from windtunnel_real.errors import StandinError

FILE: Final = "wechat.sqlite"
_LOCKED_S: Final = 5.0
_TABLES: Final = """
CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY, contact TEXT, text TEXT, outgoing INT);
CREATE TABLE IF NOT EXISTS parts (name TEXT PRIMARY KEY, value TEXT);
"""
_PARTS: Final = ("account", "requests", "friends", "asked", "remarks", "moments")
"""What of the database is kept as JSON, each in a row of `parts`."""


class Writes:
    """Which resources were written since the last look: the database tells it (`Accesses`)."""

    def __init__(self) -> None:
        self.written: set[str] = set()

    def report(self, resource: str, mode: Mode) -> None:
        """Take note of a write."""
        if mode == "write":
            self.written.add(resource)


class Records:
    """A database and its file. `save` writes what has changed, in one transaction.

    Raises `StandinError` for a folder that cannot be used.
    """

    def __init__(self, folder: Path, account: LoginState) -> None:
        """Read what is there; `account` is the log-in state of a folder that holds nothing yet."""
        self._writes = Writes()
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            if not (folder / FILE).exists():
                _make(folder)
            self._file = _open(folder / FILE)
            # A killed process loses nothing that way; the machine's own end is no concern here.
            self._file.execute("PRAGMA synchronous=OFF")
            self.database = _load(self._file, self._writes, account)
        except (OSError, sqlite3.Error, ValueError) as error:
            raise StandinError(
                f"the stand-in cannot keep its database in {folder}: {error}"
            ) from error
        self._saved: dict[str, Any] = {}
        self._saved_messages: list[Message] = list(self.database.messages)
        self.save()

    def save(self) -> bool:
        """Write what has changed; tells whether anything has."""
        parts = {name: value for name, value in self._parts().items() if self._differs(name, value)}
        messages = self._new_messages() if "records.messages" in self._writes.written else []
        self._writes.written.clear()
        if not parts and not messages:
            return False
        rows = [(name, json.dumps(value, ensure_ascii=False)) for name, value in parts.items()]
        self._file.execute("BEGIN IMMEDIATE")
        self._file.executemany("INSERT OR REPLACE INTO parts VALUES (?, ?)", rows)
        self._file.executemany("INSERT OR REPLACE INTO messages VALUES (?, ?, ?, ?)", messages)
        self._file.execute("COMMIT")
        self._saved |= parts
        return True

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _parts(self) -> Mapping[str, Any]:
        found = {name: getattr(self.database, name) for name in _PARTS}
        return found | {"moments": self._moments()}

    def _moments(self) -> object:
        """Return the moments; the list itself is changed in place, so a copy when it was."""
        if "moments" in self._saved and "records.moments" not in self._writes.written:
            return self._saved["moments"]
        return list(self.database.moments)

    def _differs(self, name: str, value: object) -> bool:
        return name not in self._saved or (
            self._saved[name] is not value and self._saved[name] != value
        )

    def _new_messages(self) -> list[tuple[int, str, str, bool]]:
        before, now = self._saved_messages, self.database.messages
        fresh = [each for old, each in zip(before, now, strict=False) if each is not old]
        fresh += now[len(before) :]
        self._saved_messages = list(now)
        return [(each.id, each.contact, each.text, each.outgoing) for each in fresh]


def _open(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(file, timeout=_LOCKED_S, isolation_level=None)


def _make(folder: Path) -> None:
    """Make an empty database beside its place, and put it there: no reader sees it being made."""
    new = folder / f"{FILE}.new"
    new.unlink(missing_ok=True)
    with closing(_open(new)) as file:
        file.execute("PRAGMA journal_mode=WAL")
        file.executescript(_TABLES)
    new.replace(folder / FILE)


def _load(file: sqlite3.Connection, log: Accesses, account: LoginState) -> Database:
    parts = {name: json.loads(value) for name, value in file.execute("SELECT * FROM parts")}
    return Database(
        log,
        account=parts.get("account", account),
        messages=_messages(file),
        requests=tuple(parts.get("requests", ())),
        friends=tuple(parts.get("friends", ())),
        asked=tuple(parts.get("asked", ())),
        remarks=parts.get("remarks", {}),
        moments=[(what, text) for what, text in parts.get("moments", ())],
    )


def _messages(file: sqlite3.Connection) -> list[Message]:
    rows = file.execute("SELECT id, contact, text, outgoing FROM messages ORDER BY id")
    return [
        Message(number, contact, text, bool(outgoing)) for number, contact, text, outgoing in rows
    ]


def read_records(folder: Path) -> tuple[tuple[str, ...], tuple[Message, ...]]:
    """Return the open friend requests, the oldest first, and all messages, in order.

    Both as of one instant, also while the application writes; empty where nothing was written yet.
    Raises `StandinError` for what is no such database.
    """
    file = folder / FILE
    if not file.exists():
        return (), ()
    try:
        with closing(_open(file)) as opened:
            opened.execute("BEGIN")
            rows = opened.execute("SELECT value FROM parts WHERE name = 'requests'").fetchall()
            requests = tuple(json.loads(rows[0][0])) if rows else ()
            return requests, tuple(_messages(opened))
    except (sqlite3.DatabaseError, ValueError) as error:
        raise StandinError(f"the database in {folder} cannot be read: {error}") from error
