"""The rows: anybody can be scrolled to, and nothing of the state machine changes by that."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.wechat.accesses import NoAccesses
from windtunnel.wechat.database import Database
from windtunnel.wechat.screen import Screen
from windtunnel.wechat.surface import Surface
from windtunnel_real.standin.hits import hit
from windtunnel_real.standin.layout import CONTACT_ROWS, ROWS, place_of
from windtunnel_real.standin.log import Log
from windtunnel_real.standin.rows import Rows, is_searching

NAMES = st.text(min_size=1, max_size=6).filter(lambda name: ":" not in name)


def made(sessions: list[str], friends: list[str]) -> Surface:
    quiet = NoAccesses()
    screen = Screen(quiet, window=True, raised=True, login="logged_in")
    for name in sessions:
        screen.lift_session(name)
    database = Database(quiet, friends=tuple(friends))
    return Surface(screen, database, Log(None))


@given(
    st.lists(NAMES, max_size=9),
    st.lists(NAMES, max_size=6),
    st.sampled_from(["session", "contact"]),
    NAMES,
)
def test_whoever_is_revealed_is_what_lies_there(
    sessions: list[str], friends: list[str], kind: str, who: str
) -> None:
    surface = made(sessions, friends)
    rows = Rows(surface)
    before = {each.name: str(getattr(surface.screen, each.name)) for each in fields(Screen)}
    place = rows.reveal(f"{kind}:{who}")
    assert hit(surface, rows, *place) == f"{kind}:{who}"
    assert place in [box.center for box in (ROWS if kind == "session" else CONTACT_ROWS)]
    assert {each.name: str(getattr(surface.screen, each.name)) for each in fields(Screen)} == before
    assert rows.sessions[0] == surface.screen.top_session


def test_the_rows_are_the_most_recent(surface: Any) -> None:
    for name in ("a", "b", "c", "d", "e", "f", "g"):
        surface.screen.lift_session(name)
    assert Rows(surface).sessions == ("g", "f", "e", "d", "c", "b")


def test_while_a_search_is_on_there_is_one_row(surface: Any) -> None:
    rows = Rows(surface)
    surface.screen.search = "bob"
    assert is_searching(surface.screen)
    assert rows.reveal("session:carol") == place_of("result")
    assert hit(surface, rows, *place_of("session")) == "result"


def test_other_targets_have_their_place(surface: Any) -> None:
    assert Rows(surface).reveal("send") == place_of("send")
    with pytest.raises(KeyError):
        Rows(surface).reveal("confirm")
