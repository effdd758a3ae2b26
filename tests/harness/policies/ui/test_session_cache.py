"""SessionCache: for all that can happen to it, it knows what a plain model knows."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from windtunnel.policies.ui.session_cache import SessionCache

NAMES = "abcde"
PLACES = (None, (1, 1), (1, 2), (2, 1))
CONTACTS = st.sampled_from(NAMES)
WINDOWS = st.sampled_from(PLACES)
CAPACITY = 3


class CacheMachine(RuleBasedStateMachine):
    """The cache beside a list of contacts and the last thing that was opened."""

    def __init__(self) -> None:
        super().__init__()
        self.cache = SessionCache(CAPACITY)
        self.used: list[str] = []
        self.last: tuple[str, object] | None = None

    @rule(contact=CONTACTS, window=WINDOWS)
    def open(self, contact: str, window: object) -> None:
        self.cache.opened(contact, window)
        self.used = [*(c for c in self.used if c != contact), contact][-CAPACITY:]
        self.last = (contact, window)

    @rule()
    def leave(self) -> None:
        self.cache.left()
        self.last = None

    @rule()
    def forget(self) -> None:
        self.cache.forget()
        self.used = []
        self.last = None

    @invariant()
    def the_last_used_are_kept(self) -> None:
        assert self.cache.contacts == tuple(self.used)

    @invariant()
    def only_the_last_opened_is_open(self) -> None:
        known = [
            (contact, window)
            for contact, window in product(NAMES, PLACES)
            if self.cache.is_open(contact, window)
        ]
        last = self.last
        assert known == ([] if last is None or last[1] is None else [last])


TestCacheMachine = CacheMachine.TestCase


@given(CONTACTS)
def test_nothing_is_open_at_first_nor_without_a_window(contact: str) -> None:
    cache = SessionCache()
    assert not cache.is_open(contact, (1, 1))
    cache.opened(contact, None)
    assert not cache.is_open(contact, None)


def test_a_new_window_has_no_session_open() -> None:
    cache = SessionCache()
    cache.opened("anna", (7, 1))
    assert cache.is_open("anna", (7, 1))
    assert not cache.is_open("anna", (8, 1))
    assert not cache.is_open("ben", (7, 1))


def test_it_holds_at_least_one() -> None:
    with pytest.raises(ValueError, match="capacity"):
        SessionCache(0)
