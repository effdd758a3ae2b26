"""The driver by XTEST: what a program of libX11's gets is what was meant, whatever others do."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.drivers.xtest import XTestDriver
from windtunnel_real.errors import DeadlineError, DisplayDiedError, InputError
from windtunnel_real.x11.connection import Connection
from windtunnel_real.x11.errors import WindowGoneError
from windtunnel_real.x11.keymap import read_keymap
from windtunnel_real.x11.keysyms import NAMES, PRINTABLE
from windtunnel_real.x11.xlib import X, event
from x11_kit import FAR_S, SHORT_S, connected, own_display, set_layout, stopped
from xclient_kit import XClient, xclient

ASCII = "".join(map(chr, PRINTABLE))
TEXTS = st.text(st.sampled_from(ASCII), max_size=40)


@pytest.fixture(scope="module")
def server() -> Iterator[Xvfb]:
    with own_display() as made:
        yield made


@pytest.fixture(scope="module")
def module_client(server: Xvfb) -> Iterator[XClient]:
    with xclient(server.address.environment()) as made:
        yield made


@pytest.fixture
def client(server: Xvfb, module_client: XClient) -> XClient:
    set_layout(server.address, "us")
    module_client.do("focus")
    module_client.do("drain")
    return module_client


@asynccontextmanager
async def driving(server: Xvfb) -> AsyncIterator[XTestDriver]:
    async with connected(server.address) as connection:
        driver = XTestDriver(connection)
        try:
            yield driver
        finally:
            await driver.close()


def drive(server: Xvfb, *commands: Callable[[XTestDriver], Awaitable[None]]) -> None:
    async def body() -> None:
        async with driving(server) as driver:
            for command in commands:
                await command(driver)

    asyncio.run(body())


class Typing:
    """A driver that is kept over many examples, in a loop of its own."""

    def __init__(self, server: Xvfb) -> None:
        self._runner = asyncio.Runner()
        self._connection = self._runner.run(Connection.open(server.address, FAR_S))
        self._driver = XTestDriver(self._connection)

    def type(self, text: str) -> None:
        self._runner.run(self._driver.type_keys(text, timeout=FAR_S))

    def close(self) -> None:
        self._runner.run(self._driver.close())
        self._runner.run(self._connection.close())
        self._runner.close()


@pytest.fixture
def typing(server: Xvfb) -> Iterator[Typing]:
    made = Typing(server)
    yield made
    made.close()


@pytest.mark.parametrize("layout", ["us", "de", "fr", "dvorak", "jp", "us,ru"])
def test_any_ascii_text_arrives_exactly_with_any_layout(
    server: Xvfb, client: XClient, typing: Typing, layout: str
) -> None:
    set_layout(server.address, layout)

    @settings(max_examples=15, deadline=None)
    @given(TEXTS)
    def check(text: str) -> None:
        typing.type(text)
        assert client.text() == text

    typing.type(ASCII)
    assert client.text() == ASCII
    check()
    set_layout(server.address, "us")


def test_a_map_that_changes_between_two_texts_is_followed(
    server: Xvfb, client: XClient, typing: Typing
) -> None:
    for layout in ("us", "de", "dvorak", "fr", "us"):
        set_layout(server.address, layout)
        typing.type("zyq@;")
        assert client.text() == "zyq@;"


def test_a_click_lands_where_it_was_sent_and_is_no_synthetic_one(
    server: Xvfb, client: XClient
) -> None:
    places = [(20, 30), (150, 111), (319, 229)]
    drive(server, *(lambda d, at=at: d.click(*at, timeout=FAR_S) for at in places))
    seen = client.do("drain")
    assert [one["kind"] for one in seen] == ["click", "unclick"] * 3
    assert [(one["x"], one["y"]) for one in seen if one["kind"] == "click"] == places
    assert {(one["code"], one["synthetic"]) for one in seen} == {(1, False)}


def test_keys_are_marked_synthetic_only_when_sent_to_a_window(
    server: Xvfb, client: XClient
) -> None:
    drive(server, lambda d: d.key("a", timeout=FAR_S))
    assert [one["synthetic"] for one in client.seen("key")] == [False]

    def send(xdisplay: Any) -> None:
        window = xdisplay.create_resource_object("window", client.window)
        root = xdisplay.screen().root
        parts = {"root": root, "window": window, "child": X.NONE, "same_screen": 1, "state": 0}
        place = {"root_x": 0, "root_y": 0, "event_x": 0, "event_y": 0, "time": X.CurrentTime}
        window.send_event(event.KeyPress(detail=38, **parts, **place))

    async def body() -> None:
        async with connected(server.address) as connection:
            await connection.call(send, FAR_S)

    asyncio.run(body())
    assert [one["synthetic"] for one in client.seen("key")] == [True]


@pytest.mark.parametrize(
    ("name", "keysym", "state"),
    [
        ("Return", "Return", 0),
        ("BackSpace", "BackSpace", 0),
        ("Escape", "Escape", 0),
        ("KP_Enter", "KP_Enter", 0),
        ("ctrl+v", "v", X.ControlMask),
        ("ctrl+shift+v", "V", X.ControlMask | X.ShiftMask),
        ("shift+Tab", "ISO_Left_Tab", X.ShiftMask),
        ("alt+F4", "F4", X.Mod1Mask),
        ("super+l", "l", X.Mod4Mask),
        ("A", "A", X.ShiftMask),
        ("?", "question", X.ShiftMask),
        ("ctrl++", "plus", X.ControlMask | X.ShiftMask),
    ],
)
def test_a_key_arrives_with_what_is_held(
    server: Xvfb, client: XClient, name: str, keysym: str, state: int
) -> None:
    drive(server, lambda d: d.key(name, timeout=FAR_S))
    seen = client.do("drain")
    presses = [one for one in seen if one["kind"] == "key"]
    assert (presses[-1]["keysym"], presses[-1]["state"]) == (keysym, state)
    releases = [one["code"] for one in seen if one["kind"] == "release"]
    assert sorted(releases) == sorted(one["code"] for one in presses)


@pytest.mark.parametrize(
    "command",
    [
        lambda d: d.key("ctrl+shift+v", 2, timeout=FAR_S),
        lambda d: d.type_keys("aBC", timeout=FAR_S),
        lambda d: d.click(50, 60, timeout=FAR_S),
    ],
)
def test_nothing_is_held_when_a_command_is_over(
    server: Xvfb, client: XClient, command: Callable[[XTestDriver], Awaitable[None]]
) -> None:
    def held(xdisplay: Any) -> tuple[bool, int]:
        mask = xdisplay.screen().root.query_pointer().mask
        return any(xdisplay.query_keymap()), int(mask)

    async def body() -> None:
        async with driving(server) as driver, connected(server.address) as other:
            await command(driver)
            assert await other.call(held, FAR_S) == (False, 0)

    asyncio.run(body())


@pytest.mark.parametrize("count", [0, 1, 3])
def test_a_key_is_pressed_as_often_as_asked(server: Xvfb, client: XClient, count: int) -> None:
    drive(server, lambda d: d.key("BackSpace", count, timeout=FAR_S))
    assert [one["keysym"] for one in client.seen("key")] == ["BackSpace"] * count


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (lambda d: d.key("Retrun", timeout=FAR_S), "did you mean 'Return'"),
        (lambda d: d.key("ctrl+Retrun", timeout=FAR_S), "did you mean 'Return'"),
        (lambda d: d.key("eacute", timeout=FAR_S), "no key of this display gives it"),
        (lambda d: d.type_keys("ab微", timeout=FAR_S), "'微' is not printable ASCII"),
        (lambda d: d.type_keys("ab\n", timeout=FAR_S), "is not printable ASCII"),
    ],
)
def test_what_no_key_gives_is_refused_before_the_first_key(
    server: Xvfb, client: XClient, command: Callable[[XTestDriver], Awaitable[None]], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        drive(server, command)
    assert client.seen("key") == []


def others(server: Xvfb, *keysyms: str, release: bool = False) -> None:
    """Press keys as another program would that then forgets them."""

    def job(xdisplay: Any) -> None:
        for keysym in keysyms:
            keycode = read_keymap(xdisplay).strokes[NAMES[keysym]].keycode
            xdisplay.xtest_fake_input(X.KeyPress, keycode)
            if release:
                xdisplay.xtest_fake_input(X.KeyRelease, keycode)

    async def body() -> None:
        async with connected(server.address) as connection:
            await connection.call(job, FAR_S)

    asyncio.run(body())


@pytest.mark.parametrize(
    "keysym", ["Shift_L", "Control_L", "Alt_L", "Super_L", "ISO_Level3_Shift", "a"]
)
def test_keys_that_somebody_left_down_do_no_harm(
    server: Xvfb, client: XClient, keysym: str
) -> None:
    others(server, keysym)
    client.do("drain")
    drive(
        server,
        lambda d: d.type_keys("aBc", timeout=FAR_S),
        lambda d: d.click(50, 60, timeout=FAR_S),
    )
    seen = client.do("drain")
    assert "".join(one["text"] for one in seen if one["kind"] == "key") == "aBc"
    assert [one["state"] for one in seen if one["kind"] == "click"] == [0]


@pytest.mark.parametrize("keysym", ["Caps_Lock", "Num_Lock"])
def test_locks_do_no_harm(server: Xvfb, client: XClient, keysym: str) -> None:
    others(server, keysym, release=True)
    client.do("drain")
    drive(server, lambda d: d.type_keys("aBc1", timeout=FAR_S))
    assert client.text() == "aBc1"


def test_nothing_is_held_once_keys_are_released(server: Xvfb, client: XClient) -> None:
    others(server, "Shift_L", "Control_R")
    drive(server, lambda d: d.release_keys(timeout=FAR_S))
    seen = client.do("drain")
    pressed = sorted(one["code"] for one in seen if one["kind"] == "key")
    assert pressed == sorted(one["code"] for one in seen if one["kind"] == "release") != []


COMMANDS: dict[str, Callable[[XTestDriver, float], Awaitable[None]]] = {
    "click at 1,1": lambda d, s: d.click(1, 1, timeout=s),
    "key ctrl.v": lambda d, s: d.key("ctrl+v", timeout=s),
    "type 3 characters": lambda d, s: d.type_keys("abc", timeout=s),
    "activate window 0x1": lambda d, s: d.activate(1, timeout=s),
}


@pytest.mark.parametrize("what", COMMANDS)
def test_a_stopped_server_ends_each_command_and_nothing_of_it_comes_later(
    server: Xvfb, client: XClient, what: str
) -> None:
    async def body() -> None:
        async with driving(server) as driver:
            await driver.release_keys(timeout=FAR_S)
            with stopped(server.pid), pytest.raises(DeadlineError, match=what):
                await COMMANDS[what](driver, SHORT_S)
            await driver.type_keys("on", timeout=FAR_S)

    asyncio.run(body())
    assert [one["text"] for one in client.do("drain") if one["kind"] in {"key", "click"}] == [
        "o",
        "n",
    ]


@pytest.mark.parametrize("what", COMMANDS)
def test_a_server_that_is_gone_is_told_by_each_command(what: str) -> None:
    async def body() -> None:
        with own_display() as server:
            async with driving(server) as driver:
                await driver.release_keys(timeout=FAR_S)
                os.kill(server.pid, signal.SIGKILL)
                with pytest.raises(DisplayDiedError):
                    await COMMANDS[what](driver, FAR_S)

    asyncio.run(body())


def test_a_window_gets_the_focus_and_the_keys(server: Xvfb, client: XClient) -> None:
    with xclient(server.address.environment()) as other:
        other.do("drain")
        drive(
            server,
            lambda d: d.activate(other.window, timeout=FAR_S),
            lambda d: d.type_keys("to the other", timeout=FAR_S),
            lambda d: d.activate(client.window, timeout=FAR_S),
            lambda d: d.type_keys("to the first", timeout=FAR_S),
        )
        assert (other.text(), client.text()) == ("to the other", "to the first")


def test_a_window_that_is_gone_is_told(server: Xvfb) -> None:
    with xclient(server.address.environment()) as other:
        pass
    with pytest.raises(WindowGoneError):
        drive(server, lambda d: d.activate(other.window, timeout=FAR_S))


def test_closing_gives_the_keyboard_back_once(server: Xvfb) -> None:
    async def body() -> None:
        async with connected(server.address) as connection:

            def repeat(xdisplay: Any) -> int:
                return int(xdisplay.get_keyboard_control().global_auto_repeat)

            driver = XTestDriver(connection)
            await driver.close()
            await driver.key("a", timeout=FAR_S)
            assert await connection.call(repeat, FAR_S) == X.AutoRepeatModeOff
            for _ in range(2):
                await driver.close()
                assert await connection.call(repeat, FAR_S) == X.AutoRepeatModeOn

    asyncio.run(body())


def test_closing_ends_when_the_server_does_not_answer(server: Xvfb) -> None:
    async def body() -> None:
        async with connected(server.address) as connection:
            driver = XTestDriver(connection)
            await driver.release_keys(timeout=FAR_S)
            with stopped(server.pid):
                async with asyncio.timeout(FAR_S):
                    await driver.close()

    asyncio.run(body())
