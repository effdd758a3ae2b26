"""The pointer: a click is out when its button is up, also where a manager holds clicks back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from windtunnel_real.display.window_manager import WindowManager
from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.drivers.xtest import XTestDriver
from windtunnel_real.errors import DeadlineError, DisplayDiedError
from windtunnel_real.x11 import windows
from windtunnel_real.x11.pointer import released
from windtunnel_real.x11.xlib import X, XDisplay
from x11_kit import FAR_S, SHORT_S, connected, own_display, stopped
from xclient_kit import XClient, xclient

CLICKS = 60
WITH_BINDINGS = """<?xml version="1.0"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <theme><name>Clearlooks</name></theme>
  <keyboard></keyboard>
  <mouse><context name="Client"><mousebind button="Left" action="Press">
    <action name="Focus"/><action name="Raise"/></mousebind></context></mouse>
</openbox_config>
"""


@pytest.fixture
def server() -> Iterator[Xvfb]:
    with own_display() as made:
        yield made


@pytest.fixture
def client(server: Xvfb) -> Iterator[XClient]:
    with xclient(server.address.environment()) as made:
        made.do("focus")
        yield made


def test_a_click_that_is_held_back_is_not_out_until_it_is_let_go(
    server: Xvfb, client: XClient
) -> None:
    async def body() -> None:
        async with connected(server.address) as connection, connected(server.address) as holder:
            driver = XTestDriver(connection)
            await holder.call(hold_back, FAR_S)
            await driver.click(50, 50, timeout=FAR_S)
            with pytest.raises(DeadlineError, match="does not let the click go"):
                await released(connection, SHORT_S)
            assert client.seen("click") == []
            await holder.call(let_go, FAR_S)
            await released(connection, FAR_S)
            assert len(client.seen("click")) == 1
            await driver.close()

    asyncio.run(body())


def hold_back(xdisplay: XDisplay) -> None:
    """Grab the button as a window manager with a binding of the mouse does."""
    xdisplay.screen().root.grab_button(
        1, X.AnyModifier, 1, X.ButtonPressMask, X.GrabModeSync, X.GrabModeAsync, X.NONE, X.NONE
    )


def let_go(xdisplay: XDisplay) -> None:
    xdisplay.allow_events(X.ReplayPointer, X.CurrentTime)


def test_no_key_overtakes_a_click_that_is_out(server: Xvfb, tmp_path: Path) -> None:
    """With the bindings under which `display/test_window_manager` sees keys overtake clicks."""
    configuration = tmp_path / "rc.xml"
    configuration.write_text(WITH_BINDINGS)
    manager = WindowManager.start(server.address, timeout=FAR_S, configuration=configuration)
    try:
        with xclient(server.address.environment(), cls="shop") as program:
            program.do("focus")
            kinds = asyncio.run(clicks_and_keys(server, program))
    finally:
        manager.stop()
    assert kinds == ["click", "key"] * CLICKS


async def clicks_and_keys(server: Xvfb, program: XClient) -> list[str]:
    async with connected(server.address) as connection:
        driver = XTestDriver(connection)
        (found,) = await windows.find(connection, "shop", FAR_S)
        program.do("drain")
        kinds = []
        for _ in range(CLICKS):
            await driver.click(found.x + 20, found.y + 20, timeout=FAR_S)
            await released(connection, FAR_S)
            await driver.key("a", timeout=FAR_S)
            kinds += [one["kind"] for one in program.do("drain")]
        await driver.close()
    return [kind for kind in kinds if kind in {"click", "key"}]


def test_where_nothing_is_down_it_is_over_at_once(server: Xvfb) -> None:
    async def body() -> None:
        async with connected(server.address) as connection:
            await released(connection, FAR_S)

    asyncio.run(body())


def test_a_server_that_stands_still_and_one_that_is_gone(server: Xvfb) -> None:
    async def body() -> None:
        async with connected(server.address) as connection:
            with stopped(server.pid), pytest.raises(DeadlineError):
                await released(connection, SHORT_S)
            server.stop()
            with pytest.raises(DisplayDiedError):
                await released(connection, FAR_S)

    asyncio.run(body())
