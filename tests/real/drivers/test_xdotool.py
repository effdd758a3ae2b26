"""The driver by xdotool, with both runners, on a real server: what it sends is what arrives."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from receiver_kit import Receiver, receiver
from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.display.window_manager import WindowManager
from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.drivers.driver import Driver
from windtunnel_real.drivers.xdotool import Said, XdotoolDriver, ending, trouble
from windtunnel_real.errors import (
    DeadlineError,
    DisplayDiedError,
    DisplayStartError,
    InputError,
)
from windtunnel_real.x11.xlib import X
from xdotool_kit import MAKERS, PATIENCE_S, SHORT_S, children, stopped

PRINTABLE = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=80)
EXAMPLES = {"xdotool-pipe": 40, "xdotool": 15}


@pytest.fixture(scope="module")
def address(xvfb: Xvfb) -> DisplayAddress:
    return xvfb.address


@pytest.fixture(scope="module")
def module_box(address: DisplayAddress) -> Iterator[Receiver]:
    with receiver(address) as made:
        yield made


@pytest.fixture
def box(module_box: Receiver) -> Receiver:
    module_box.focus()
    module_box.take()
    module_box.clicks.clear()
    return module_box


@pytest.fixture(params=list(MAKERS))
def driver(request: pytest.FixtureRequest, address: DisplayAddress) -> XdotoolDriver:
    return MAKERS[request.param](address)


async def closing(driver: XdotoolDriver, *calls: object) -> None:
    """Await calls in order, then close."""
    try:
        for call in calls:
            await call  # type: ignore[misc]
    finally:
        await driver.close()


def test_it_is_a_driver(driver: XdotoolDriver) -> None:
    assert isinstance(driver, Driver)
    assert driver.name in EXAMPLES


def test_any_printable_ascii_arrives_exactly(
    driver: XdotoolDriver, address: DisplayAddress, box: Receiver
) -> None:
    async def type_all(texts: list[str]) -> None:
        made = MAKERS[driver.name](address)  # its pipe belongs to one loop
        await closing(made, *(made.type_keys(text, timeout=PATIENCE_S) for text in texts))

    @settings(max_examples=EXAMPLES[driver.name])
    @given(PRINTABLE)
    def check(text: str) -> None:
        asyncio.run(type_all([text]))
        assert box.take() == text

    check()
    long = "$'\" \\#-" * 200
    asyncio.run(type_all([long]))
    assert box.take() == long


def test_a_click_is_where_it_should_be_when_the_call_is_over(
    driver: XdotoolDriver, box: Receiver
) -> None:
    pointers: list[tuple[int, int]] = []
    places = [(20 + 3 * number, 30 + 2 * number) for number in range(20)]

    async def click_all() -> None:
        try:
            for x, y in places:
                await driver.click(x, y, timeout=PATIENCE_S)
                found = box._asking.screen().root.query_pointer()  # another connection, no waiting
                pointers.append((found.root_x, found.root_y))
        finally:
            await driver.close()

    asyncio.run(click_all())
    box.take()
    assert pointers == places
    assert box.clicks == places


def test_keys_and_how_often(driver: XdotoolDriver, box: Receiver) -> None:
    asyncio.run(
        closing(
            driver,
            driver.key("a", 3, timeout=PATIENCE_S),
            driver.key("shift+b", timeout=PATIENCE_S),
            driver.key(".", timeout=PATIENCE_S),
            driver.key("Return", timeout=PATIENCE_S),
        )
    )
    assert box.take() == "aaaB.\n"


def test_what_it_cannot_type_is_refused_and_nothing_is_sent(
    driver: XdotoolDriver, box: Receiver
) -> None:
    for call in (
        driver.type_keys("abc\u4f60", timeout=PATIENCE_S),
        driver.type_keys("abc\t", timeout=PATIENCE_S),
        driver.key("Retrun", timeout=PATIENCE_S),
        driver.key("a", 0, timeout=PATIENCE_S),
    ):
        with pytest.raises(InputError):
            asyncio.run(closing(driver, call))
    assert box.take() == ""
    assert not children("xdotool")


def test_a_window_is_mapped_and_has_the_focus_without_a_manager(
    driver: XdotoolDriver, address: DisplayAddress, box: Receiver
) -> None:
    with receiver(address) as other:
        box.window.unmap()
        box._display.flush()

        async def both() -> None:
            await closing(
                driver,
                driver.activate(box.id, timeout=PATIENCE_S),
                driver.type_keys("here", timeout=PATIENCE_S),
                driver.activate(other.id, timeout=PATIENCE_S),
                driver.type_keys("there", timeout=PATIENCE_S),
            )

        asyncio.run(both())
        assert (box.take(), other.take()) == ("here", "there")
        # XSendEvent, which xdotool turns to for a window it remembers, is ignored by many programs.
        assert (box.synthetic, other.synthetic) == (0, 0)


def test_keys_go_to_the_focus_and_not_to_a_window_asked_for_before(
    driver: XdotoolDriver, address: DisplayAddress, box: Receiver
) -> None:
    with receiver(address) as other:

        async def both() -> None:
            await driver.activate(box.id, timeout=PATIENCE_S)
            other.focus()  # as a popup does
            await driver.key("a", timeout=PATIENCE_S)
            await driver.type_keys("b", timeout=PATIENCE_S)
            await driver.close()

        asyncio.run(both())
        assert (box.take(), other.take()) == ("", "ab")
        assert (box.synthetic, other.synthetic) == (0, 0)


def test_a_window_that_is_gone_is_no_window(driver: XdotoolDriver, address: DisplayAddress) -> None:
    with receiver(address) as other:
        gone = other.id
    with pytest.raises(InputError, match="no such window"):
        asyncio.run(closing(driver, driver.activate(gone, timeout=PATIENCE_S)))


def test_a_window_that_never_gets_the_focus_is_given_up(
    driver: XdotoolDriver, address: DisplayAddress, box: Receiver
) -> None:
    hidden = box._asking.screen().root.create_window(0, 0, 9, 9, 0, X.CopyFromParent)
    window = hidden.create_window(0, 0, 5, 5, 0, X.CopyFromParent)
    box._asking.sync()
    try:
        with pytest.raises(DeadlineError, match="did not get the focus"):
            asyncio.run(closing(driver, driver.activate(window.id, timeout=0.5)))
    finally:
        hidden.destroy()
        box._asking.sync()
    assert not children("xdotool")


@pytest.mark.parametrize("maker", MAKERS)
def test_under_a_window_manager_it_is_the_manager_that_is_asked(
    maker: str, fresh_xvfb: Xvfb
) -> None:
    address = fresh_xvfb.address
    with receiver(address) as one, receiver(address) as other:
        manager = WindowManager.start(address, timeout=PATIENCE_S)
        try:
            asyncio.run(_activate_in_turn(MAKERS[maker](address), one, other))
        finally:
            manager.stop()


async def _activate_in_turn(driver: XdotoolDriver, one: Receiver, other: Receiver) -> None:
    for number in range(6):
        box = (one, other)[number % 2]
        await driver.activate(box.id, timeout=PATIENCE_S)
        await driver.type_keys(str(number), timeout=PATIENCE_S)
    assert (one.take(), other.take()) == ("024", "135")
    # A toolkit hands the focus on to a child of its window.
    child = one._asking.create_resource_object("window", one.id).create_window(
        0, 0, 5, 5, 0, X.CopyFromParent
    )
    child.map()
    child.set_input_focus(X.RevertToParent, X.CurrentTime)
    one._asking.sync()
    assert await driver._focused(one.id, PATIENCE_S)
    assert not await driver._focused(other.id, PATIENCE_S)
    with pytest.raises(InputError, match="no such window"):
        await driver.activate(0x7FFFFF, timeout=PATIENCE_S)
    await driver.close()


@pytest.mark.parametrize("maker", MAKERS)
def test_a_server_that_died_is_told_by_type(maker: str, fresh_xvfb: Xvfb) -> None:
    async def meet_it(server: Xvfb) -> None:
        driver = MAKERS[maker](server.address)
        await driver.key("a", timeout=PATIENCE_S)
        await asyncio.to_thread(server.stop)
        for _ in range(2):
            with pytest.raises(DisplayDiedError):
                await driver.key("a", timeout=PATIENCE_S)
        await driver.close()

    asyncio.run(meet_it(fresh_xvfb))
    assert not children("xdotool")


@pytest.mark.parametrize("maker", MAKERS)
def test_a_server_that_stands_still_ends_in_a_deadline_and_leaves_nobody(
    maker: str, fresh_xvfb: Xvfb
) -> None:
    async def meet_it(server: Xvfb) -> None:
        driver = MAKERS[maker](server.address)
        await driver.key("a", timeout=PATIENCE_S)
        with stopped(server.pid):
            for call in (
                driver.key("a", timeout=SHORT_S),
                driver.click(1, 1, timeout=SHORT_S),
                driver.type_keys("abc", timeout=SHORT_S),
                driver.activate(1, timeout=SHORT_S),
            ):
                with pytest.raises(DeadlineError):
                    await call
                assert not children("xdotool")
        await driver.key("a", timeout=PATIENCE_S)
        await driver.close()

    asyncio.run(meet_it(fresh_xvfb))
    assert not children("xdotool")


@pytest.mark.parametrize(
    "words",
    [
        ("search", "--sync", "--name", "there is no window of this name"),
        ("mousemove", "--sync", "400", "400"),
    ],
)
def test_what_waits_inside_xdotool_for_ever_would_be_ended(
    words: tuple[str, ...], driver: XdotoolDriver, address: DisplayAddress
) -> None:
    async def ask() -> None:
        await driver.click(400, 400, timeout=PATIENCE_S)  # there already: no move to wait for
        with pytest.raises(DeadlineError):
            await driver._runner.run(words, timeout=SHORT_S)
        assert not children("xdotool")
        await driver.click(400, 400, timeout=PATIENCE_S)
        await driver.close()

    asyncio.run(ask())


@pytest.mark.parametrize("maker", MAKERS)
def test_no_xdotool_says_how_to_get_it(
    maker: str, address: DisplayAddress, monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    driver = MAKERS[maker](address)
    with pytest.raises(DisplayStartError, match="install"):
        asyncio.run(closing(driver, driver.key("a", timeout=PATIENCE_S)))


def test_talk_that_is_no_complaint_does_not_count(
    address: DisplayAddress, box: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEBUG", "1")
    for maker in MAKERS.values():
        driver = maker(address)
        asyncio.run(closing(driver, driver.key("a", timeout=PATIENCE_S)))
    assert box.take() == "aa"


def test_how_complaints_are_told() -> None:
    words = ("windowfocus", "7")
    gone = trouble(Said("", "X connection to :1 broken (explicit kill)"), words)
    assert isinstance(gone, DisplayDiedError)
    assert "no such window" in str(trouble(Said("", "X Error: BadWindow\n (invalid)"), words))
    assert "whether it was done is not known" in str(trouble(Said("", "", "signal 9"), words))
    assert (ending(None), ending(0), ending(1), ending(-9)) == ("", "", "exit code 1", "signal 9")
