"""Typing: any text, in any script, arrives exactly, by each of the three drivers."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from asker_kit import Asker, asker
from receiver_kit import Receiver, receiver
from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.drivers.driver import DRIVERS, Driver
from windtunnel_real.drivers.xtest import XTestDriver
from windtunnel_real.errors import ClipboardError, DeadlineError, DisplayDiedError, InputError
from windtunnel_real.x11.clipboard import Clipboard
from windtunnel_real.x11.connection import Connection
from windtunnel_real.x11.typing import Piece, Typist, pieces_of
from windtunnel_real.x11.xlib import X
from xdotool_kit import MAKERS, PATIENCE_S, SHORT_S, children, stopped, until

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=80)
EXAMPLES = {"xtest": 60, "xdotool-pipe": 40, "xdotool": 12}
SCRIPTS = (
    "你好世界漢字日本語한국어",
    "😀🧪👩\u200d👩\u200d👧🇨🇳",
    "e\u0301a\u0300n\u0303o\u0308\u0323",
    "שלום عربي",
    "𝔘𐍈🀄\U0010fffd",
    "\u200b\u200c\u200d\u200e\u202e\ufeff",
    "\t",
    "abc XYZ 019 ~!@#$%^&*()_+`-={}[]|\\:\";'<>?,./",
    "ÿ\x01\x7f\x80",
)
ASCII = 7
"""The row that keys can type."""


def some_texts(count: int) -> list[str]:
    """Return texts of 1 to 80 characters of all scripts, the same each time.

    One in five is printable ASCII alone, one in four has a line break in it.
    """
    chance = random.Random(5)
    texts = []
    for number in range(count):
        scripts = SCRIPTS[ASCII : ASCII + 1] if number % 5 == 0 else SCRIPTS
        chars = [chance.choice(chance.choice(scripts)) for _ in range(chance.randint(1, 80))]
        if number % 4 == 0:
            chars[chance.randrange(len(chars))] = "\n"
        texts.append("".join(chars))
    return texts


@asynccontextmanager
async def typing(name: str, address: DisplayAddress) -> AsyncIterator[Typist]:
    """Give a typist by one of the drivers."""
    clipboard = await Clipboard.open(address, PATIENCE_S)
    connection = await Connection.open(address, PATIENCE_S) if name == "xtest" else None
    driver: Driver = XTestDriver(connection) if connection else MAKERS[name](address)
    try:
        yield Typist(driver, clipboard)
    finally:
        await driver.close()
        if connection is not None:
            await connection.close()
        await clipboard.close()


def run(
    name: str, address: DisplayAddress, body: Callable[[Typist], Coroutine[Any, Any, None]]
) -> None:
    async def whole() -> None:
        async with typing(name, address) as typist:
            await body(typist)

    asyncio.run(whole())


@pytest.fixture(scope="module")
def module_box(xvfb: Xvfb) -> Iterator[Receiver]:
    with receiver(xvfb.address) as made:
        yield made


@pytest.fixture
def box(module_box: Receiver) -> Receiver:
    module_box.focus()
    module_box.take()
    return module_box


@pytest.fixture
def it(xvfb: Xvfb) -> Iterator[Asker]:
    with asker(xvfb.address) as made:
        yield made


@given(TEXTS)
def test_the_pieces_are_the_text(text: str) -> None:
    pieces = list(pieces_of(text))
    assert "".join("\n" if piece.how == "key" else piece.text for piece in pieces) == text
    for piece in pieces:
        if piece.how == "key":
            assert piece.text == "Return"
        else:
            assert piece.text
            assert (piece.how == "keys") == all(" " <= char <= "~" for char in piece.text)
    # As few hand-overs as lines.
    assert sum(piece.how != "key" for piece in pieces) <= text.count("\n") + 1


def test_the_pieces_of_an_example() -> None:
    assert list(pieces_of("hi\n\n你好 hi\n\tx")) == [
        Piece("keys", "hi"),
        Piece("key", "Return"),
        Piece("key", "Return"),
        Piece("paste", "你好 hi"),
        Piece("key", "Return"),
        Piece("paste", "\tx"),
    ]
    assert list(pieces_of("")) == []


@pytest.mark.parametrize("name", DRIVERS)
def test_any_text_arrives_exactly(name: str, xvfb: Xvfb, module_box: Receiver) -> None:
    module_box.focus()
    with asyncio.Runner() as runner:
        block = typing(name, xvfb.address)
        typist = runner.run(block.__aenter__())

        @settings(max_examples=EXAMPLES[name])
        @given(TEXTS)
        def check(text: str) -> None:
            runner.run(typist.type_text(text, PATIENCE_S))
            assert module_box.take() == text
            runner.run(typist.paste_text(text, PATIENCE_S))
            assert module_box.take() == text

        try:
            check()
        finally:
            runner.run(block.__aexit__(None, None, None))


@pytest.mark.parametrize("name", DRIVERS)
def test_two_hundred_texts_of_all_scripts_arrive_exactly(
    name: str, xvfb: Xvfb, box: Receiver
) -> None:
    texts = some_texts(200)
    arrived: list[str] = []
    before = keyboard_map(box)

    async def body(typist: Typist) -> None:
        for text in texts:
            await typist.type_text(text, PATIENCE_S)
            arrived.append(box.take())

    run(name, xvfb.address, body)
    assert sum(map(str.__eq__, texts, arrived)) == 200
    assert box.synthetic == 0
    assert keyboard_map(box) == before, "no key was bound for a character"


def keyboard_map(box: Receiver) -> list[tuple[int, ...]]:
    info = box._asking.display.info
    count = info.max_keycode - info.min_keycode + 1
    return [tuple(row) for row in box._asking.get_keyboard_mapping(info.min_keycode, count)]


def plain_type(address: DisplayAddress, text: str, *options: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        ["xdotool", "type", *options, "--", text],
        env=address.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def test_xdotool_by_itself_drops_characters(xvfb: Xvfb, box: Receiver) -> None:
    texts = ["你好世界", "😀🧪🀄", "漢字かな交じり文", "𝔘𐍈"] * 3
    right = 0
    for text in texts:
        plain_type(xvfb.address, text, "--delay", "0").wait(PATIENCE_S)
        right += box.take() == text
    assert right < len(texts)
    arrived: list[str] = []

    async def body(typist: Typist) -> None:
        for text in texts:
            await typist.type_text(text, PATIENCE_S)
            arrived.append(box.take())

    run("xdotool", xvfb.address, body)
    assert arrived == texts


def test_xdotool_by_itself_leaves_a_key_bound_when_it_is_killed(fresh_xvfb: Xvfb) -> None:
    with receiver(fresh_xvfb.address) as box:
        before = keyboard_map(box)
        child = plain_type(fresh_xvfb.address, "你", "--delay", "3600000")
        try:
            while keyboard_map(box) == before:
                assert child.poll() is None
        finally:
            child.kill()
            child.wait(PATIENCE_S)
        assert 0x01000000 + ord("你") in {keysym for row in keyboard_map(box) for keysym in row}

        async def body(typist: Typist) -> None:
            await typist.type_text("still 你好 exact\nyes", PATIENCE_S)

        run("xdotool-pipe", fresh_xvfb.address, body)
        assert box.take().endswith("still 你好 exact\nyes")


@pytest.mark.parametrize("text", ["你\0", "abc\ud83d", "\n\0"])
@pytest.mark.parametrize("method", [Typist.type_text, Typist.paste_text])
def test_what_stands_for_nothing_is_refused_before_anything_is_sent(
    xvfb: Xvfb, box: Receiver, it: Asker, text: str, method: Any
) -> None:
    async def body(typist: Typist) -> None:
        with pytest.raises(InputError, match="stands for nothing"):
            await method(typist, text, PATIENCE_S)
        assert it.owner() == 0

    run("xtest", xvfb.address, body)
    assert box.take() == ""


def test_after_typing_the_clipboard_is_what_it_was(xvfb: Xvfb, box: Receiver, it: Asker) -> None:
    async def body(typist: Typist) -> None:
        await typist.type_text("你", PATIENCE_S)
        assert it.owner() == 0
        await typist.paste_text("pasted", PATIENCE_S)
        assert await asyncio.to_thread(it.read) == "pasted"
        await typist.type_text("漢\n字 abc", PATIENCE_S)
        assert await asyncio.to_thread(it.read) == "pasted"
        await typist._driver.key("ctrl+v", timeout=PATIENCE_S)
        assert box.take() == "你pasted漢\n字 abcpasted"
        await typist.type_text("plain", PATIENCE_S)
        assert await asyncio.to_thread(it.read) == "pasted"
        await typist.paste_text("", PATIENCE_S)
        assert it.owner() == 0
        assert box.take() == "plain"

    run("xtest", xvfb.address, body)


@pytest.mark.parametrize("name", DRIVERS)
def test_a_window_that_does_not_paste_is_told(name: str, fresh_xvfb: Xvfb) -> None:
    async def body(typist: Typist) -> None:
        with pytest.raises((ClipboardError, DeadlineError)):
            await typist.type_text("你", 1.0)
        assert typist._clipboard.text is None

    with receiver(fresh_xvfb.address, pastes=False):
        run(name, fresh_xvfb.address, body)


def test_a_program_that_comes_round_late_has_nothing_to_paste(
    xvfb: Xvfb, box: Receiver, it: Asker
) -> None:
    async def body(typist: Typist) -> None:
        it.window.map()
        it.window.set_input_focus(X.RevertToParent, X.CurrentTime)
        it.display.sync()
        task = asyncio.ensure_future(typist.type_text("秘密", PATIENCE_S))
        await until(lambda: bool(it.owner()))
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert await asyncio.to_thread(it.read) is None

    run("xtest", xvfb.address, body)


def test_a_reader_that_does_not_delete_still_gets_all(fresh_xvfb: Xvfb) -> None:
    with receiver(fresh_xvfb.address, deletes=False) as box:

        async def body(typist: Typist) -> None:
            await typist.type_text("你好\n!", PATIENCE_S)

        run("xtest", fresh_xvfb.address, body)
        assert box.take() == "你好\n!"


def test_a_clipboard_manager_that_reads_first(xvfb: Xvfb, box: Receiver, it: Asker) -> None:
    read: list[str | None] = []

    async def body(typist: Typist) -> None:
        key = typist._driver.key

        async def late(name: str, count: int = 1, *, timeout: float) -> None:
            read.append(await asyncio.to_thread(it.read))
            await key(name, count, timeout=timeout)

        typist._driver.key = late  # type: ignore[method-assign]
        await typist.type_text("你好", PATIENCE_S)

    run("xtest", xvfb.address, body)
    assert read == ["你好"]
    assert box.take() == "你好"


@pytest.mark.parametrize("name", DRIVERS)
def test_a_server_that_stands_still_and_one_that_dies(name: str, fresh_xvfb: Xvfb) -> None:
    async def body(typist: Typist) -> None:
        for text in ("abc", "你好"):
            await typist.type_text(text, PATIENCE_S)
            with stopped(fresh_xvfb.pid), pytest.raises(DeadlineError):
                await typist.type_text(text, SHORT_S)
        os.kill(fresh_xvfb.pid, signal.SIGKILL)
        for text in ("abc", "你好"):
            with pytest.raises(DisplayDiedError):
                await typist.type_text(text, PATIENCE_S)

    with receiver(fresh_xvfb.address):
        run(name, fresh_xvfb.address, body)
    assert not children("xdotool")


def test_no_time_at_all(xvfb: Xvfb, box: Receiver) -> None:
    async def body(typist: Typist) -> None:
        with pytest.raises(DeadlineError):
            await typist.type_text("你好", 0.0)
        with pytest.raises(DeadlineError):
            await typist.paste_text("abc", 0.0)
        await typist.type_text("", PATIENCE_S)

    run("xtest", xvfb.address, body)
    assert box.take() == ""
