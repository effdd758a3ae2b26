"""The keyboard under control, on a real server, whatever others do to it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.errors import InputError
from windtunnel_real.x11.connection import Connection
from windtunnel_real.x11.keyboard import Keyboard
from windtunnel_real.x11.keymap import Stroke, read_keymap
from windtunnel_real.x11.keysyms import NAMES, PRINTABLE
from windtunnel_real.x11.xlib import X
from x11_kit import FAR_S, connected, own_display, set_layout

ALL = "".join(map(chr, PRINTABLE))


@pytest.fixture(scope="module")
def server() -> Iterator[Xvfb]:
    with own_display() as made:
        yield made


@asynccontextmanager
async def taken(server: Xvfb) -> AsyncIterator[tuple[Connection, Keyboard]]:
    async with connected(server.address) as connection:
        keyboard = Keyboard()
        await connection.call(keyboard.take_over, FAR_S)
        try:
            yield connection, keyboard
        finally:
            await connection.call(keyboard.give_back, FAR_S)


def repeat(xdisplay: Any) -> int:
    return int(xdisplay.get_keyboard_control().global_auto_repeat)


def held(xdisplay: Any) -> tuple[list[int], int]:
    keys = [code for code, octet in enumerate(xdisplay.query_keymap()) if octet]
    return keys, xdisplay.screen().root.query_pointer().mask


def press(keysym: str) -> Callable[[Any], None]:
    return lambda d: d.xtest_fake_input(X.KeyPress, read_keymap(d).strokes[NAMES[keysym]].keycode)


def tap(keysym: str) -> Callable[[Any], None]:
    def job(xdisplay: Any) -> None:
        keycode = read_keymap(xdisplay).strokes[NAMES[keysym]].keycode
        xdisplay.xtest_fake_input(X.KeyPress, keycode)
        xdisplay.xtest_fake_input(X.KeyRelease, keycode)

    return job


def test_keys_do_not_repeat_until_it_is_given_back(server: Xvfb) -> None:
    async def body() -> None:
        async with connected(server.address) as other:
            assert await other.call(repeat, FAR_S) == X.AutoRepeatModeOn
            async with taken(server):
                assert await other.call(repeat, FAR_S) == X.AutoRepeatModeOff
            assert await other.call(repeat, FAR_S) == X.AutoRepeatModeOn

    asyncio.run(body())


def test_giving_back_twice_or_untaken_does_nothing(server: Xvfb) -> None:
    async def body() -> None:
        async with connected(server.address) as connection:
            keyboard = Keyboard()
            await connection.call(keyboard.give_back, FAR_S)
            await connection.call(keyboard.take_over, FAR_S)
            for _ in range(2):
                await connection.call(keyboard.give_back, FAR_S)
            assert await connection.call(repeat, FAR_S) == X.AutoRepeatModeOn

    asyncio.run(body())


@pytest.mark.parametrize(
    "trouble",
    [
        press("Shift_L"),
        press("Control_R"),
        press("a"),
        tap("Caps_Lock"),
        tap("Num_Lock"),
        lambda d: d.xtest_fake_input(X.ButtonPress, 1),
        lambda d: d.xtest_fake_input(X.ButtonPress, 3),
    ],
    ids=["shift", "control", "a key", "caps lock", "num lock", "button 1", "button 3"],
)
def test_what_others_hold_or_lock_is_let_go(server: Xvfb, trouble: Callable[[Any], None]) -> None:
    async def body() -> None:
        async with connected(server.address) as other, taken(server) as (connection, keyboard):
            await other.call(trouble, FAR_S)
            assert await other.call(held, FAR_S) != ([], 0)
            await connection.call(keyboard.calm, FAR_S)
            assert await other.call(held, FAR_S) == ([], 0)

    asyncio.run(body())


def test_calming_costs_one_round_trip_when_nothing_is_held(server: Xvfb) -> None:
    async def body() -> None:
        async with taken(server) as (connection, keyboard):

            def job(xdisplay: Any) -> int:
                before = xdisplay.display.request_serial
                keyboard.calm(xdisplay)
                return int(xdisplay.display.request_serial - before)

            assert await connection.call(job, FAR_S) == 2

    asyncio.run(body())


def test_a_changed_map_is_read_again_and_only_then(server: Xvfb) -> None:
    async def body() -> None:
        async with taken(server) as (connection, keyboard):

            def strokes(xdisplay: Any) -> Any:
                xdisplay.sync()
                return keyboard.text(xdisplay, "qwertz/")

            before = await connection.call(strokes, FAR_S)
            assert await connection.call(strokes, FAR_S) == before
            set_layout(server.address, "de")
            assert await connection.call(strokes, FAR_S) != before
            set_layout(server.address, "us")
            assert await connection.call(strokes, FAR_S) == before

    asyncio.run(body())


def test_a_map_that_was_changed_meanwhile_is_noticed_where_it_matters(server: Xvfb) -> None:
    async def body() -> None:
        async with taken(server) as (connection, keyboard):
            texts = ("yz", "mn")

            def strokes(xdisplay: Any) -> list[tuple[Stroke, ...]]:
                return [keyboard.text(xdisplay, text) for text in texts]

            before = await connection.call(strokes, FAR_S)
            set_layout(server.address, "de")

            def changed(xdisplay: Any) -> list[bool]:
                xdisplay.sync()
                pairs = zip(texts, before, strict=True)
                return [keyboard.changed(xdisplay, text, typed) for text, typed in pairs]

            assert (await connection.call(changed, FAR_S))[0]
            set_layout(server.address, "us")
            assert await connection.call(changed, FAR_S) == [False, False]

    asyncio.run(body())


@pytest.mark.parametrize("layout", ["us", "de", "fr", "dvorak", "jp", "us,ru"])
def test_all_of_printable_ascii_has_keys_and_they_are_given_back(server: Xvfb, layout: str) -> None:
    async def body() -> None:
        set_layout(server.address, layout)
        async with connected(server.address) as other:
            before = await other.call(lambda d: d.get_keyboard_mapping(8, 248), FAR_S)
            async with taken(server) as (connection, keyboard):
                found = await connection.call(lambda d: keyboard.text(d, ALL), FAR_S)
                assert len(found) == len(PRINTABLE)
            after = await other.call(lambda d: d.get_keyboard_mapping(8, 248), FAR_S)
            assert [tuple(row) for row in after] == [tuple(row) for row in before]
            set_layout(server.address, "us")

    asyncio.run(body())


def test_a_layout_without_enough_keys_says_what_to_do(server: Xvfb) -> None:
    async def body() -> None:
        set_layout(server.address, "ru")
        async with taken(server) as (connection, keyboard):
            with pytest.raises(InputError, match="setxkbmap us"):
                await connection.call(lambda d: keyboard.text(d, ALL), FAR_S)
        set_layout(server.address, "us")

    asyncio.run(body())


def test_a_server_without_input_from_others_is_refused(server: Xvfb) -> None:
    async def body() -> None:
        async with connected(server.address) as connection:

            def job(xdisplay: Any) -> None:
                xdisplay.extensions.remove("XTEST")
                Keyboard().take_over(xdisplay)

            with pytest.raises(InputError, match="no XTEST extension"):
                await connection.call(job, FAR_S)

    asyncio.run(body())
