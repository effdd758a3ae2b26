"""OutsideSlots: what the platform has, as the book counts it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.policies.router.reservation import CapacityBook
from windtunnel.policies.router.router_options import RouterOptions
from windtunnel.services.backend.outside_slots import OutsideSlots


@pytest.fixture
def slots() -> OutsideSlots:
    return OutsideSlots(CapacityBook(RouterOptions()))


def test_whose_slot_it_is(slots: OutsideSlots) -> None:
    slots.begin("t")
    assert slots.is_of("t", "external-1"), "while it is not known there"
    slots.known("t", "external-1")
    assert slots.is_of("t", "external-1")
    assert not slots.is_of("t", "external-2")
    assert not slots.is_of("u", "external-1")
    assert list(slots.items()) == [("t", "external-1")]


def test_a_slot_ends_once(slots: OutsideSlots) -> None:
    slots.begin("t")
    assert slots.end("t")
    assert not slots.end("t")
    slots.known("t", "external-1")
    assert list(slots.items()) == []


@pytest.mark.spec("F-R10")
@given(st.lists(st.tuples(st.booleans(), st.sampled_from("abc"))))
def test_the_book_counts_each_slot(steps: list[tuple[bool, str]]) -> None:
    book = CapacityBook(RouterOptions())
    slots, there = OutsideSlots(book), set()
    for begins, id_ in steps:
        if begins:
            slots.begin(id_)
            there.add(id_)
        else:
            assert slots.end(id_) is (id_ in there)
            there.discard(id_)
        assert book.outside_running == len(slots) == len(there)
