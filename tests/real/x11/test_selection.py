"""The selection: what its owner answers, to the letter of the conventions (ICCCM 2)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asker_kit import PLACE, Asker, asker
from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.x11.connection import Connection
from windtunnel_real.x11.selection import News, Offer, Selection
from windtunnel_real.x11.xlib import X
from xdotool_kit import PATIENCE_S, until

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"))


class Owned:
    """A selection on a connection, and what it told."""

    def __init__(self) -> None:
        self.news: list[tuple[News, int]] = []
        self.troubles: list[Exception] = []
        self.selection: Selection | None = None
        self.connection: Connection

    @classmethod
    async def open(cls, address: DisplayAddress) -> Owned:
        owned = cls()
        owned.connection = await Connection.open(
            address, PATIENCE_S, on_event=owned._on_event, on_trouble=owned.troubles.append
        )
        owned.selection = await owned.connection.call(Selection, PATIENCE_S)
        return owned

    def _on_event(self, _display: Any, event: Any) -> None:
        if self.selection is not None:
            self.selection.handle(event)

    async def offer(self, text: str) -> Offer:
        offer = Offer(text, lambda news, window: self.news.append((news, window)))
        selection = self.selection
        assert selection is not None
        assert await self.connection.call(lambda shown: selection.take(shown, offer), PATIENCE_S)
        return offer

    async def told(self, *news: tuple[News, int]) -> None:
        """Wait until it told these, and nothing else."""
        await until(lambda: len(self.news) >= len(news))
        assert self.news == list(news)


@pytest.fixture(scope="module")
def address(xvfb: Xvfb) -> DisplayAddress:
    return xvfb.address


@pytest.fixture
def it(address: DisplayAddress) -> Iterator[Asker]:
    with asker(address) as made:
        yield made


def run(address: DisplayAddress, body: Any) -> None:
    """Run a body with a selection that is owned."""

    async def whole() -> None:
        owned = await Owned.open(address)
        try:
            await body(owned)
        finally:
            await owned.connection.close()

    asyncio.run(whole())


def test_what_it_can_be_had_as(address: DisplayAddress, it: Asker) -> None:
    async def body(owned: Owned) -> None:
        for text, more in (("caf\xe9", {"STRING"}), ("\u4f60\u597d", set())):
            await owned.offer(text)
            assert await asyncio.to_thread(it.ask, "TARGETS")
            kind, atoms = it.written()
            assert kind == "ATOM"
            assert {it.name(atom) for atom in atoms} == more | {
                "TARGETS", "MULTIPLE", "TIMESTAMP", "TEXT", "UTF8_STRING",
                "text/plain;charset=utf-8",
            }  # fmt: skip
            it.delete()
        assert owned.news == []

    run(address, body)


def test_each_form_of_a_text(address: DisplayAddress, it: Asker) -> None:
    async def body(owned: Owned) -> None:
        await owned.offer("caf\xe9")
        for target, kind, data in (
            ("UTF8_STRING", "UTF8_STRING", b"caf\xc3\xa9"),
            ("text/plain;charset=utf-8", "text/plain;charset=utf-8", b"caf\xc3\xa9"),
            ("STRING", "STRING", b"caf\xe9"),
            ("TEXT", "STRING", b"caf\xe9"),
        ):
            assert await asyncio.to_thread(it.ask, target)
            assert it.written() == (kind, data)
            it.delete()
        await owned.offer("\u4f60")
        assert not await asyncio.to_thread(it.ask, "STRING")
        assert await asyncio.to_thread(it.ask, "TEXT")
        assert it.written() == ("UTF8_STRING", "\u4f60".encode())
        assert not await asyncio.to_thread(it.ask, "image/png")
        assert not await asyncio.to_thread(it.ask, "ATOM_PAIR")

    run(address, body)


@settings(max_examples=60)
@given(text=TEXTS)
def test_any_text_is_read_as_it_is(address: DisplayAddress, text: str) -> None:
    with asker(address) as it:

        async def body(owned: Owned) -> None:
            await owned.offer(text)
            assert await asyncio.to_thread(it.read) == text
            await owned.told((News.SENT, it.window.id), (News.READ, it.window.id))

        run(address, body)


def test_several_who_ask_are_all_answered(address: DisplayAddress, it: Asker) -> None:
    async def body(owned: Owned) -> None:
        await owned.offer("for all")
        with asker(address) as other:
            assert await asyncio.to_thread(it.ask, "UTF8_STRING")
            assert await asyncio.to_thread(other.read) == "for all"
            assert it.written() == ("UTF8_STRING", b"for all")
            it.delete()
            mine, others = it.window.id, other.window.id
            await owned.told(
                (News.SENT, mine), (News.SENT, others), (News.READ, others), (News.READ, mine)
            )

    run(address, body)


def test_what_is_bigger_than_a_request_comes_in_parts(address: DisplayAddress, it: Asker) -> None:
    text = "\u4f60x" * 300_000  # 1.2 MB

    async def body(owned: Owned) -> None:
        await owned.offer(text)
        assert await asyncio.to_thread(it.ask, "UTF8_STRING")
        kind, value = it.written()
        assert (kind, list(value)) == ("INCR", [len(text.encode())])
        it.display.sync()
        while it.display.pending_events():
            it.display.next_event()
        it.delete()
        parts = []
        while part := await asyncio.to_thread(it.next_part):
            parts.append(part)
        assert b"".join(parts).decode() == text
        assert len(parts) > 3
        await owned.told((News.READ, it.window.id))
        assert owned.selection is not None
        assert owned.selection._transfers == {}

    run(address, body)


def test_one_that_goes_away_half_way_is_forgotten(address: DisplayAddress, it: Asker) -> None:
    async def body(owned: Owned) -> None:
        selection = owned.selection
        assert selection is not None
        await owned.offer("x" * 1_000_000)
        assert await asyncio.to_thread(it.ask, "UTF8_STRING")
        it.window.destroy()
        it.display.sync()
        await until(lambda: not selection._transfers)
        assert owned.news == []
        with asker(address) as other:
            await owned.offer("next")
            assert await asyncio.to_thread(other.read) == "next"

    run(address, body)


def test_one_that_is_gone_before_the_answer_does_no_harm(
    address: DisplayAddress, it: Asker
) -> None:
    async def body(owned: Owned) -> None:
        await owned.offer("text")
        for _ in range(20):
            window = it.new_window()
            window.convert_selection(it.clipboard, it.atom("UTF8_STRING"), it.place, X.CurrentTime)
            window.destroy()
            it.display.sync()
        assert await asyncio.to_thread(it.read) == "text"
        for trouble in owned.troubles:
            assert type(trouble).__name__ == "WindowGoneError"

    run(address, body)


def test_several_forms_at_once(address: DisplayAddress, it: Asker) -> None:
    async def body(owned: Owned) -> None:
        await owned.offer("\u4f60")
        places = [it.atom(f"{PLACE}_{number}") for number in range(3)]
        targets = [it.atom(name) for name in ("UTF8_STRING", "STRING", "TIMESTAMP")]
        pairs = [atom for pair in zip(targets, places, strict=True) for atom in pair]
        it.window.change_property(it.place, it.atom("ATOM_PAIR"), 32, pairs)
        assert await asyncio.to_thread(it.ask, "MULTIPLE")
        kind, value = it.written()
        assert kind == "ATOM_PAIR"
        assert list(value) == [targets[0], places[0], targets[1], 0, targets[2], places[2]]
        found = it.window.get_full_property(places[0], X.AnyPropertyType)
        assert bytes(found.value).decode() == "\u4f60"
        it.window.delete_property(it.place)
        assert not await asyncio.to_thread(it.ask, "MULTIPLE"), "no list was given"

    run(address, body)


def test_the_time_since_when_it_is_owned(address: DisplayAddress, it: Asker) -> None:
    async def body(owned: Owned) -> None:
        await owned.offer("text")
        it.window.change_property(it.place, it.atom("STRING"), 8, b"")
        it.display.sync()
        now = it.display.next_event().time
        assert await asyncio.to_thread(it.ask, "TIMESTAMP")
        kind, value = it.written()
        assert kind == "INTEGER"
        assert 0 < value[0] <= now

    run(address, body)


def test_a_client_of_old_that_names_no_place(address: DisplayAddress, it: Asker) -> None:
    async def body(owned: Owned) -> None:
        await owned.offer("text")
        target = it.atom("UTF8_STRING")
        it.window.convert_selection(it.clipboard, target, X.NONE, X.CurrentTime)
        assert (await asyncio.to_thread(it.answer)).property == target

    run(address, body)


def test_what_was_withdrawn_or_given_back_is_refused(address: DisplayAddress, it: Asker) -> None:
    async def body(owned: Owned) -> None:
        offer = await owned.offer("secret")
        offer.withdrawn = True
        assert not await asyncio.to_thread(it.ask, "UTF8_STRING")
        assert not await asyncio.to_thread(it.ask, "TARGETS")
        await owned.offer("open")
        assert await asyncio.to_thread(it.read) == "open"
        assert owned.selection is not None
        await owned.connection.call(owned.selection.give_back, PATIENCE_S)
        assert it.owner() == 0
        assert [news for news, _ in owned.news] == [News.SENT, News.READ]

    run(address, body)


def test_it_is_told_when_another_takes_it_and_leaves_it_alone(
    address: DisplayAddress, it: Asker
) -> None:
    async def body(owned: Owned) -> None:
        await owned.offer("text")
        it.take()
        await owned.told((News.LOST, 0))
        assert owned.selection is not None
        await owned.connection.call(owned.selection.give_back, PATIENCE_S)
        assert it.owner() == it.window.id

    run(address, body)
