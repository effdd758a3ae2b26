"""Events of a connection: handed out in order, also while nothing is asked, troubles told."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.x11.connection import Connection
from windtunnel_real.x11.errors import WindowGoneError
from windtunnel_real.x11.xlib import X, Xatom, event
from x11_kit import FAR_S, connected, own_display, until

NO_WINDOW = 0x7F000001


@pytest.fixture(scope="module")
def server() -> Iterator[Xvfb]:
    with own_display() as made:
        yield made


def window(xdisplay: Any, number: int) -> Any:
    return xdisplay.create_resource_object("window", number)


def mark(xdisplay: Any, name: str) -> None:
    atom = xdisplay.get_atom(name)
    xdisplay.screen().root.change_property(atom, Xatom.CARDINAL, 32, [1])


def test_events_are_handed_out_in_order_while_nothing_is_asked(server: Xvfb) -> None:
    async def body() -> None:
        got: list[int] = []
        threads: set[str] = set()

        def on_event(_: Any, got_event: Any) -> None:
            threads.add(threading.current_thread().name)
            if got_event.type == X.ClientMessage:
                got.append(got_event.data[1][0])

        def send(xdisplay: Any, to: int) -> None:
            atom = xdisplay.get_atom("NUMBER")
            for number in range(100):
                message = event.ClientMessage(
                    window=to, client_type=atom, data=(32, [number, 0, 0, 0, 0])
                )
                window(xdisplay, to).send_event(message)

        async with connected(server.address, on_event) as one, connected(server.address) as two:
            mine = await one.call(make_window, FAR_S)
            await two.call(lambda d: send(d, mine), FAR_S)
            await until(lambda: len(got) == 100)
        assert got == list(range(100))
        assert threads == {f"x11 {server.address.name}"}

    asyncio.run(body())


def make_window(xdisplay: Any) -> int:
    made = xdisplay.screen().root.create_window(0, 0, 9, 9, 0, X.CopyFromParent)
    return int(made.id)


def test_an_event_read_while_another_is_answered_is_handed_out_too(server: Xvfb) -> None:
    async def body() -> None:
        got: list[str] = []

        def on_event(xdisplay: Any, got_event: Any) -> None:
            if got_event.type != X.PropertyNotify:
                return
            name = xdisplay.get_atom_name(got_event.atom)
            got.append(name)
            if len(got) < 20:
                mark(xdisplay, f"STEP_{len(got)}")
                xdisplay.sync()

        async with connected(server.address, on_event) as connection:

            def begin(xdisplay: Any) -> None:
                xdisplay.screen().root.change_attributes(event_mask=X.PropertyChangeMask)
                mark(xdisplay, "STEP_0")

            await connection.call(begin, FAR_S)
            await until(lambda: len(got) == 20)
        assert got == [f"STEP_{number}" for number in range(20)]

    asyncio.run(body())


def test_trouble_with_an_event_is_told_and_hinders_no_call(
    server: Xvfb, capfd: pytest.CaptureFixture[str]
) -> None:
    troubles: list[Exception] = []

    def on_event(xdisplay: Any, got_event: Any) -> None:
        if got_event.type == X.PropertyNotify:
            window(xdisplay, NO_WINDOW).map()
            if len(troubles) == 1:
                raise LookupError

    async def body() -> None:
        connection = await Connection.open(
            server.address, FAR_S, on_event=on_event, on_trouble=troubles.append
        )

        def begin(xdisplay: Any) -> None:
            xdisplay.screen().root.change_attributes(event_mask=X.PropertyChangeMask)
            mark(xdisplay, "FIRST")

        await connection.call(begin, FAR_S)
        await until(lambda: len(troubles) == 1)
        await connection.call(lambda d: mark(d, "SECOND"), FAR_S)
        await until(lambda: len(troubles) == 2)
        await connection.call(lambda d: d.sync(), FAR_S)
        await connection.close()

    asyncio.run(body())
    assert [type(one) for one in troubles] == [WindowGoneError, LookupError]
    assert capfd.readouterr() == ("", "")
