"""The clipboard: a text is handed over once, to the one it is for, and nothing lingers."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from asker_kit import Asker, asker
from receiver_kit import receiver
from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.errors import (
    ClipboardError,
    DeadlineError,
    DisplayDiedError,
    DisplayStartError,
    InputError,
)
from windtunnel_real.x11.clipboard import Clipboard, check
from xdotool_kit import PATIENCE_S, SHORT_S, stopped

Body = Callable[[Clipboard], Coroutine[Any, Any, None]]


@pytest.fixture(scope="module")
def address(xvfb: Xvfb) -> DisplayAddress:
    return xvfb.address


@pytest.fixture
def it(address: DisplayAddress) -> Iterator[Asker]:
    with asker(address) as made:
        yield made


def run(address: DisplayAddress, body: Body) -> None:
    async def whole() -> None:
        clipboard = await Clipboard.open(address, PATIENCE_S)
        try:
            await body(clipboard)
        finally:
            await clipboard.close()
            await clipboard.close()

    asyncio.run(whole())


def test_it_is_over_when_the_text_was_read(address: DisplayAddress, it: Asker) -> None:
    async def body(clipboard: Clipboard) -> None:
        await clipboard.offer("\u4f60\u597d", PATIENCE_S)
        assert clipboard.text == "\u4f60\u597d"
        waiting = asyncio.ensure_future(clipboard.handed_over(PATIENCE_S))
        assert await asyncio.to_thread(it.ask, "TARGETS")
        it.delete()
        assert await asyncio.to_thread(it.read) == "\u4f60\u597d"
        await waiting
        assert await asyncio.to_thread(it.read) == "\u4f60\u597d", "until the next, or given back"
        await clipboard.offer("next", PATIENCE_S)
        assert await asyncio.to_thread(it.read) == "next"

    run(address, body)
    assert it.owner() == 0


def test_nobody_asks(address: DisplayAddress) -> None:
    async def body(clipboard: Clipboard) -> None:
        with pytest.raises(ClipboardError, match="nothing is offered"):
            await clipboard.handed_over(PATIENCE_S)
        await clipboard.offer("text", PATIENCE_S)
        with pytest.raises(ClipboardError, match="nobody read"):
            await clipboard.handed_over(SHORT_S)

    run(address, body)


def test_a_manager_that_reads_everything_is_not_the_reader(
    address: DisplayAddress, it: Asker
) -> None:
    async def body(clipboard: Clipboard) -> None:
        with asker(address) as other:
            await clipboard.offer("text", PATIENCE_S)
            assert await asyncio.to_thread(other.read) == "text"
            await clipboard.handed_over(PATIENCE_S)
            # The program is known by any of its windows.
            reader = it.new_window().id
            with pytest.raises(ClipboardError, match="nobody read"):
                await clipboard.handed_over(SHORT_S, reader)
            assert await asyncio.to_thread(it.read) == "text"
            await clipboard.handed_over(PATIENCE_S, reader)

    run(address, body)


@pytest.mark.parametrize("nowhere", [0, 1])
def test_no_window_is_any_reader(address: DisplayAddress, it: Asker, nowhere: int) -> None:
    async def body(clipboard: Clipboard) -> None:
        await clipboard.offer("text", PATIENCE_S)
        assert await asyncio.to_thread(it.read) == "text"
        await clipboard.handed_over(PATIENCE_S, nowhere)

    run(address, body)


def test_what_an_earlier_offer_was_read_by_does_not_count(
    address: DisplayAddress, it: Asker
) -> None:
    async def body(clipboard: Clipboard) -> None:
        await clipboard.offer("one", PATIENCE_S)
        assert await asyncio.to_thread(it.ask, "UTF8_STRING")
        await clipboard.offer("two", PATIENCE_S)
        it.delete()
        with pytest.raises(ClipboardError, match="nobody read"):
            await clipboard.handed_over(SHORT_S)

    run(address, body)


def test_a_reader_that_does_not_say_so_is_believed_in_the_end(
    address: DisplayAddress, it: Asker
) -> None:
    async def body(clipboard: Clipboard) -> None:
        await clipboard.offer("text", PATIENCE_S)
        assert await asyncio.to_thread(it.ask, "UTF8_STRING")
        await clipboard.handed_over(PATIENCE_S)

    run(address, body)


def test_another_program_takes_it_in_between(address: DisplayAddress, it: Asker) -> None:
    async def body(clipboard: Clipboard) -> None:
        await clipboard.offer("text", PATIENCE_S)
        waiting = asyncio.ensure_future(clipboard.handed_over(PATIENCE_S))
        await asyncio.sleep(0)
        it.take()
        with pytest.raises(ClipboardError, match="another program took"):
            await waiting
        assert clipboard.text is None
        await clipboard.give_back(PATIENCE_S)
        assert it.owner() == it.window.id, "it is not ours to give back"
        await clipboard.offer("again", PATIENCE_S)
        assert await asyncio.to_thread(it.read) == "again"

    run(address, body)


def test_taken_after_it_was_read_is_no_error(address: DisplayAddress, it: Asker) -> None:
    async def body(clipboard: Clipboard) -> None:
        await clipboard.offer("text", PATIENCE_S)
        assert await asyncio.to_thread(it.read) == "text"
        await clipboard.handed_over(PATIENCE_S)
        it.take()
        await clipboard.handed_over(PATIENCE_S)

    run(address, body)


def test_nothing_lingers(address: DisplayAddress, it: Asker) -> None:
    async def body(clipboard: Clipboard) -> None:
        await clipboard.offer("secret", PATIENCE_S)
        assert it.owner() != 0
        clipboard.withdraw()
        assert await asyncio.to_thread(it.read) is None
        await clipboard.offer("secret", PATIENCE_S)
        await clipboard.give_back(PATIENCE_S)
        assert (it.owner(), clipboard.text) == (0, None)
        await clipboard.offer("secret", PATIENCE_S)

    run(address, body)
    assert it.owner() == 0


def test_a_big_text(address: DisplayAddress) -> None:
    text = "\u4f60\U0001f600\n" * 100_000

    async def body(clipboard: Clipboard) -> None:
        with receiver(address) as box:
            await clipboard.offer(text, PATIENCE_S)
            box._paste()
            box._display.flush()
            await clipboard.handed_over(PATIENCE_S, box.id)
            assert box.take() == text

    run(address, body)


def test_who_has_the_focus(address: DisplayAddress) -> None:
    async def body(clipboard: Clipboard) -> None:
        with receiver(address) as box:
            assert await clipboard.focus(PATIENCE_S) == box.id

    run(address, body)


@pytest.mark.parametrize("text", ["\0", "ab\0", "\ud800", "x\udfff", "\udc00\ud800"])
def test_what_stands_for_nothing_is_refused(address: DisplayAddress, it: Asker, text: str) -> None:
    with pytest.raises(InputError, match="stands for nothing"):
        check(text)

    async def body(clipboard: Clipboard) -> None:
        with pytest.raises(InputError):
            await clipboard.offer(text, PATIENCE_S)
        assert it.owner() == 0

    run(address, body)


def test_a_server_that_stands_still(fresh_xvfb: Xvfb) -> None:
    async def body(clipboard: Clipboard) -> None:
        await clipboard.offer("text", PATIENCE_S)
        with stopped(fresh_xvfb.pid):
            with pytest.raises(DeadlineError):
                await clipboard.offer("more", SHORT_S)
            with pytest.raises(DeadlineError):
                await clipboard.give_back(SHORT_S)
            with pytest.raises(DeadlineError):
                await clipboard.focus(SHORT_S)
            await clipboard.close()

    run(fresh_xvfb.address, body)


def test_a_server_that_dies_ends_the_wait_at_once(fresh_xvfb: Xvfb) -> None:
    async def body(clipboard: Clipboard) -> None:
        await clipboard.offer("text", PATIENCE_S)
        waiting = asyncio.ensure_future(clipboard.handed_over(3600.0))
        await asyncio.sleep(0)
        await asyncio.to_thread(fresh_xvfb.stop)
        with pytest.raises(DisplayDiedError):
            await asyncio.wait_for(waiting, PATIENCE_S)
        with pytest.raises(DisplayDiedError):
            await clipboard.offer("text", PATIENCE_S)

    run(fresh_xvfb.address, body)


def test_a_display_that_is_not_there() -> None:
    with pytest.raises(DisplayStartError):
        asyncio.run(Clipboard.open(DisplayAddress(":65000"), PATIENCE_S))
