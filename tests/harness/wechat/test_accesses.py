"""Accesses: what a step touches is told to whoever listens, and to nobody where nobody does."""

from __future__ import annotations

from windtunnel.wechat.accesses import Accesses, NoAccesses
from windtunnel.wechat.screen import Screen


def test_a_window_without_a_listener_works_all_the_same() -> None:
    log: Accesses = NoAccesses()
    screen = Screen(log, window=True, login="logged_in")
    screen.open_session("bob")
    assert screen.top_session == "bob"
