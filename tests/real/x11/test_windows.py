"""Windows: found by class and process, wherever they lie and whatever becomes of them meanwhile."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.errors import DeadlineError
from windtunnel_real.x11.ewmh import clients, manager
from windtunnel_real.x11.start_times import started_ns
from windtunnel_real.x11.windows import FoundWindow, Wanted, find, look, wait_for
from windtunnel_real.x11.xlib import X
from x11_kit import FAR_S, SHORT_S, connected, managed, own_display, stopped
from xclient_kit import xclient


@pytest.fixture(scope="module")
def server() -> Iterator[Xvfb]:
    with own_display() as made:
        yield made


def found(server: Xvfb, name: str, **how: Any) -> tuple[FoundWindow, ...]:
    async def body() -> tuple[FoundWindow, ...]:
        async with connected(server.address) as connection:
            return await find(connection, name, FAR_S, **how)

    return asyncio.run(body())


def test_a_window_is_told_with_all_that_it_is(server: Xvfb) -> None:
    with xclient(server.address.environment(), cls="WeChat", title="微信", x=20, y=30) as client:
        (one,) = found(server, "WeChat")
        assert (one.info.id, one.info.pid) == (client.window, client.pid)
        assert one.info.started_ns == started_ns(client.pid) > 0
        assert (one.info.title, one.info.mapped, one.info.focused) == ("微信", True, True)
        assert (one.x, one.y, one.width, one.height) == (20, 30, 300, 200)


def test_either_part_of_the_class_finds_it_and_nothing_else_does(server: Xvfb) -> None:
    with xclient(server.address.environment(), cls="WeChat"):
        assert found(server, "WeChat") == found(server, "wechat") != ()
        assert [found(server, name) for name in ("", "We", "WECHAT", "wechat\0WeChat")] == [()] * 4


def test_processes_narrow_it_down(server: Xvfb) -> None:
    environment = server.address.environment()
    with xclient(environment) as one, xclient(environment) as two, xclient(environment, pid=False):
        assert len(found(server, "Box")) == 3
        assert [w.info.pid for w in found(server, "Box", pids={two.pid})] == [two.pid]
        assert found(server, "Box", pids=()) == ()
        assert {w.info.pid for w in found(server, "Box")} == {one.pid, two.pid, 0}
        assert [w.info.started_ns for w in found(server, "Box") if not w.info.pid] == [0]


def test_a_title_of_the_old_kind_serves_where_there_is_no_other(server: Xvfb) -> None:
    with xclient(server.address.environment(), title=""):
        assert [window.info.title for window in found(server, "Box")] == ["plain title"]


def test_menus_and_tips_are_no_windows_of_it(server: Xvfb) -> None:
    with xclient(server.address.environment(), override=True):
        assert found(server, "Box") == ()


def test_a_window_is_found_before_it_is_mapped_and_told_apart(server: Xvfb) -> None:
    async def body() -> None:
        with xclient(server.address.environment(), mapped=False) as client:
            async with connected(server.address) as connection:
                (one,) = await find(connection, "Box", FAR_S)
                assert not one.info.mapped
                assert await wait_for(connection, "Box", SHORT_S) is None
                there = await wait_for(connection, "Box", FAR_S, mapped=False)
                assert there == one
                waiting = asyncio.create_task(wait_for(connection, "Box", FAR_S))
                await asyncio.sleep(0.02)
                client.do("map")
                shown = await waiting
                assert shown is not None
                assert shown.info.mapped
                client.do("unmap")
                assert await wait_for(connection, "Box", 0) is None

    asyncio.run(body())


def test_waiting_for_what_never_comes_ends(server: Xvfb) -> None:
    async def body() -> None:
        async with connected(server.address) as connection:
            assert await wait_for(connection, "Nobody", SHORT_S) is None
            with (
                stopped(server.pid),
                pytest.raises(DeadlineError, match="find the window 'Nobody'"),
            ):
                await wait_for(connection, "Nobody", SHORT_S)

    asyncio.run(body())


def test_a_restarted_application_is_another_though_its_window_has_the_same_id(server: Xvfb) -> None:
    seen: list[FoundWindow] = []
    for _ in range(2):
        with xclient(server.address.environment()):
            seen += found(server, "Box")
    before, after = (window.info for window in seen)
    assert before.id == after.id  # the server gives numbers out again
    assert (before.pid, before.started_ns) != (after.pid, after.started_ns)


def test_what_vanishes_meanwhile_is_not_there(server: Xvfb) -> None:
    async def body() -> None:
        async with connected(server.address) as connection, connected(server.address) as other:
            over = threading.Event()

            def come_and_go(xdisplay: Any) -> int:
                rounds = 0
                while not over.is_set():
                    window = xdisplay.screen().root.create_window(0, 0, 9, 9, 0, X.CopyFromParent)
                    window.set_wm_class("fly", "Fly")
                    xdisplay.sync()
                    window.destroy()
                    xdisplay.sync()
                    rounds += 1
                return rounds

            flying = asyncio.create_task(other.call(come_and_go, FAR_S))
            counts = [len(await find(connection, "Fly", FAR_S)) for _ in range(200)]
            over.set()
            assert await flying > 0
            assert set(counts) <= {0, 1}

    asyncio.run(body())


def test_a_window_within_frames_is_found_at_its_place_on_the_display(server: Xvfb) -> None:
    async def body() -> None:
        async with connected(server.address) as connection:

            def nest(xdisplay: Any) -> int:
                frame = xdisplay.screen().root.create_window(100, 50, 99, 99, 0, X.CopyFromParent)
                inner = frame.create_window(3, 4, 80, 80, 0, X.CopyFromParent)
                window = inner.create_window(1, 2, 40, 30, 0, X.CopyFromParent)
                window.set_wm_class("nest", "Nest")
                child = window.create_window(0, 0, 4, 4, 0, X.CopyFromParent)
                child.set_wm_class("nest", "Nest")
                return int(window.id)

            window = await connection.call(nest, FAR_S)
            (one,) = await find(connection, "Nest", FAR_S)
            assert one.info.id == window
            assert (one.x, one.y, one.width, one.height) == (104, 56, 40, 30)
            assert not one.info.mapped

    asyncio.run(body())


def test_under_a_window_manager_too_and_after_its_death() -> None:
    async def body() -> None:
        with own_display() as server, xclient(server.address.environment(), mapped=False) as client:
            async with connected(server.address) as connection:
                with managed(server.address) as wm:
                    assert await connection.call(manager, FAR_S)
                    (hidden,) = await find(connection, "Box", FAR_S)
                    assert not hidden.info.mapped
                    client.do("map")
                    shown = await wait_for(connection, "Box", FAR_S)
                    assert shown is not None
                    assert (shown.info.id, shown.info.pid) == (client.window, client.pid)
                    assert await connection.call(clients, FAR_S) == (client.window,)
                    os.kill(wm.pid, signal.SIGKILL)
                assert not await connection.call(manager, FAR_S)
                again = await wait_for(connection, "Box", FAR_S)
                assert again is not None
                assert again.info.id == client.window

    asyncio.run(body())


def test_looking_is_a_few_round_trips_however_many_windows_there_are(server: Xvfb) -> None:
    async def body() -> None:
        async with connected(server.address) as connection:

            def fill(xdisplay: Any) -> None:
                for _ in range(300):
                    xdisplay.screen().root.create_window(0, 0, 9, 9, 0, X.CopyFromParent)

            def count(xdisplay: Any) -> int:
                exchanges = 0
                exchange = xdisplay.display.send_and_recv

                def counted(**how: Any) -> None:
                    nonlocal exchanges
                    exchanges += 1
                    exchange(**how)

                xdisplay.display.send_and_recv = counted
                try:
                    look(xdisplay, Wanted("Nobody"))
                finally:
                    del xdisplay.display.send_and_recv
                return exchanges

            await connection.call(count, FAR_S)  # names of properties are looked up once
            few = await connection.call(count, FAR_S)
            await connection.call(fill, FAR_S)
            assert few <= 8
            # The answers to hundreds of questions come in several pieces.
            assert await connection.call(count, FAR_S) < few + 50

    asyncio.run(body())
