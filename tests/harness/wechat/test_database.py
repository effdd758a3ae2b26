"""The database: ids that grow, messages taken back, requests that are accepted once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from windtunnel.ports import Message
from windtunnel.wechat.database import Database
from windtunnel.wechat.tables import NOTICE_ASKED, NOTICE_NAMED, REVOKED
from windtunnel_models.access import AccessLog


@pytest.fixture
def database() -> Database:
    log = AccessLog()
    database = Database(log)
    log.watch(database)
    return database


def test_a_message_has_the_next_id(database: Database) -> None:
    database.add_message("bob", "a")
    database.add_message("eve", "b", outgoing=False)
    assert database.messages == [Message(1, "bob", "a", True), Message(2, "eve", "b", False)]


def test_the_last_message_sent_is_that_of_the_session(database: Database) -> None:
    assert database.last_sent("bob") is None
    for contact, text in (("bob", "a"), ("bob", "b"), ("eve", "c")):
        database.add_message(contact, text)
    database.add_message("bob", "d", outgoing=False)
    assert database.last_sent("bob") == Message(2, "bob", "b", True)


def test_what_is_done_to_a_contact_leaves_a_notice(database: Database) -> None:
    database.ask("eve")
    database.name("bob", "the plumber")
    assert (database.asked, database.remarks) == (("eve",), {"bob": "the plumber"})
    assert database.messages == [
        Message(1, "eve", NOTICE_ASKED, False),
        Message(2, "bob", NOTICE_NAMED, False),
    ]


def test_a_message_taken_back_keeps_its_id(database: Database) -> None:
    database.add_message("bob", "a")
    database.add_message("bob", "b")
    database.revoke(database.messages[0])
    assert [(each.id, each.text) for each in database.messages] == [(1, REVOKED), (2, "b")]


def test_a_request_is_accepted_once() -> None:
    database = Database(AccessLog(), requests=("ann", "bob"))
    assert database.accept("ann")
    assert not database.accept("ann")
    assert (database.requests, database.friends) == (("bob",), ("ann",))


def test_what_is_changed_in_place_is_heard_too(
    database: Database, hearing: Callable[..., Any]
) -> None:
    with hearing(database.log) as heard:
        database.add_message("bob", "a")
        database.revoke(Message(1, "bob", "a", True))
        database.add_moment("like")
    assert heard.count(("records.messages", "write")) == 2
    assert ("records.moments", "write") in heard
    assert database.moments == [("like", "")]
