"""Activation: over when the window has the focus, and an error when it does not get it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest

from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.errors import DeadlineError, InputError
from windtunnel_real.x11.activation import activate
from windtunnel_real.x11.connection import Connection
from windtunnel_real.x11.errors import WindowGoneError
from windtunnel_real.x11.focus import focused
from windtunnel_real.x11.xlib import X, Xatom
from x11_kit import FAR_S, SHORT_S, connected, managed, own_display, stopped
from xclient_kit import xclient


@pytest.fixture(scope="module")
def server() -> Iterator[Xvfb]:
    with own_display() as made:
        yield made


@pytest.fixture(params=[False, True], ids=["bare", "managed"])
def either(request: pytest.FixtureRequest) -> Iterator[Xvfb]:
    with own_display() as made, managed(made.address) if request.param else nullcontext():
        yield made


async def has_focus(connection: Connection, window: int) -> bool:
    return window in await connection.call(focused, FAR_S)


def test_the_focus_goes_to_and_fro(either: Xvfb) -> None:
    async def body() -> None:
        environment = either.address.environment()
        with xclient(environment) as one, xclient(environment, cls="Other") as two:
            async with connected(either.address) as connection:
                for window in (one.window, two.window, one.window, two.window):
                    await activate(connection, window, FAR_S)
                    assert await has_focus(connection, window)

    asyncio.run(body())


def test_a_window_that_is_not_mapped_is_mapped(either: Xvfb) -> None:
    async def body() -> None:
        environment = either.address.environment()
        with xclient(environment), xclient(environment, mapped=False) as hidden:
            async with connected(either.address) as connection:
                await activate(connection, hidden.window, FAR_S)
                assert await has_focus(connection, hidden.window)

    asyncio.run(body())


def test_a_window_that_covers_it_is_below_it_then(either: Xvfb) -> None:
    async def body() -> None:
        environment = either.address.environment()
        with xclient(environment) as below, xclient(environment) as above:
            async with connected(either.address) as connection:
                for client in (above, below):
                    await activate(connection, client.window, FAR_S)

                def click(xdisplay: Any) -> None:
                    place = xdisplay.create_resource_object("window", below.window)
                    inner = xdisplay.screen().root.translate_coords(place, 50, 50)
                    xdisplay.xtest_fake_input(X.MotionNotify, x=inner.x, y=inner.y)
                    xdisplay.xtest_fake_input(X.ButtonPress, 1)
                    xdisplay.xtest_fake_input(X.ButtonRelease, 1)

                above.do("drain")
                await connection.call(click, FAR_S)
                assert len(below.seen("click")) == 1
                assert above.seen("click") == []

    asyncio.run(body())


def test_a_window_that_is_gone_is_told(either: Xvfb) -> None:
    async def body() -> None:
        with xclient(either.address.environment()) as client:
            async with connected(either.address) as connection:
                client.do("destroy")
                with pytest.raises(WindowGoneError) as gone:
                    await activate(connection, client.window, FAR_S)
                assert gone.value.resource == client.window

    asyncio.run(body())


def test_a_focus_within_the_window_will_do(server: Xvfb) -> None:
    async def body() -> None:
        async with connected(server.address) as connection:

            def make(xdisplay: Any) -> tuple[int, int]:
                outer = xdisplay.screen().root.create_window(0, 0, 50, 50, 0, X.CopyFromParent)
                inner = outer.create_window(0, 0, 20, 20, 0, X.CopyFromParent)
                outer.map()
                inner.map()
                inner.set_input_focus(X.RevertToParent, X.CurrentTime)
                return outer.id, inner.id

            outer, inner = await connection.call(make, FAR_S)
            assert await connection.call(focused, FAR_S) == {outer, inner}
            await activate(connection, inner, FAR_S)
            assert await has_focus(connection, outer)

    asyncio.run(body())


def test_a_window_manager_that_does_nothing_ends_in_an_error_that_names_who_has_it() -> None:
    async def body() -> None:
        with own_display() as server:
            environment = server.address.environment()
            with xclient(environment) as one, xclient(environment) as two:
                async with connected(server.address) as connection:
                    await connection.call(idle_manager, FAR_S)
                    words = f"activate window {one.window:#x}.*focus is with window {two.window:#x}"
                    with pytest.raises(DeadlineError, match=words):
                        await activate(connection, one.window, SHORT_S)

    asyncio.run(body())


def idle_manager(xdisplay: Any) -> None:
    root = xdisplay.screen().root
    window = root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
    for place in (root, window):
        place.change_property(
            xdisplay.get_atom("_NET_SUPPORTING_WM_CHECK"), Xatom.WINDOW, 32, [window.id]
        )


def test_a_window_that_cannot_be_seen_cannot_have_it(server: Xvfb) -> None:
    async def body() -> None:
        async with connected(server.address) as connection:

            def make(xdisplay: Any) -> int:
                outer = xdisplay.screen().root.create_window(0, 0, 50, 50, 0, X.CopyFromParent)
                return int(outer.create_window(0, 0, 20, 20, 0, X.CopyFromParent).id)

            window = await connection.call(make, FAR_S)
            with pytest.raises(InputError, match="BadMatch"):
                await activate(connection, window, FAR_S)

    asyncio.run(body())


def test_a_stopped_server_ends_in_an_error(server: Xvfb) -> None:
    async def body() -> None:
        with xclient(server.address.environment()) as client:
            async with connected(server.address) as connection:
                with stopped(server.pid), pytest.raises(DeadlineError, match="activate window"):
                    await activate(connection, client.window, SHORT_S)
                await activate(connection, client.window, FAR_S)

    asyncio.run(body())
