"""The connection: jobs in one thread, errors by type, and an end to every wait."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from windtunnel.errors import WorldError
from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.errors import (
    DeadlineError,
    DisplayDiedError,
    DisplayStartError,
    InputError,
)
from windtunnel_real.x11.connection import Connection
from windtunnel_real.x11.errors import WindowGoneError, XRequestError
from windtunnel_real.x11.xlib import X, Xatom
from x11_kit import FAR_S, SHORT_S, connected, own_display, owners, stopped, until
from xclient_kit import xclient

NO_WINDOW = 0x7F000001


@pytest.fixture(scope="module")
def server() -> Iterator[Xvfb]:
    with own_display() as made:
        yield made


def window(xdisplay: Any, number: int) -> Any:
    return xdisplay.create_resource_object("window", number)


def sync(xdisplay: Any) -> None:
    xdisplay.sync()


def mark(xdisplay: Any, name: str) -> None:
    atom = xdisplay.get_atom(name)
    xdisplay.screen().root.change_property(atom, Xatom.CARDINAL, 32, [1])


def marked(xdisplay: Any, name: str) -> bool:
    atom = xdisplay.get_atom(name)
    return xdisplay.screen().root.get_full_property(atom, X.AnyPropertyType) is not None


def test_a_job_gives_its_value_or_its_error(server: Xvfb) -> None:
    async def body() -> None:
        async with connected(server.address) as connection:
            width = await connection.call(lambda d: d.screen().width_in_pixels, FAR_S)
            assert width == 1280
            with pytest.raises(ZeroDivisionError):
                await connection.call(lambda _: 1 // 0, FAR_S)
            assert await connection.call(lambda _: "on", FAR_S) == "on"
            assert connection.gone is None
            assert connection.address is server.address

    asyncio.run(body())


def test_a_display_is_never_shared_by_threads(server: Xvfb) -> None:
    async def body() -> None:
        async with connected(server.address) as connection:

            def job(xdisplay: Any) -> int:
                xdisplay.sync()
                return threading.get_ident()

            found = await asyncio.gather(*(connection.call(job, FAR_S) for _ in range(50)))
            assert len(set(found)) == 1
            assert found[0] != threading.get_ident()

    asyncio.run(body())


def test_a_refused_request_is_an_error_and_nothing_is_printed(
    server: Xvfb, capfd: pytest.CaptureFixture[str]
) -> None:
    async def body() -> None:
        async with connected(server.address) as connection:
            with pytest.raises(
                WindowGoneError, match="raise it: there is no window 0x7f000001"
            ) as gone:
                await connection.call(lambda d: window(d, NO_WINDOW).map(), FAR_S, "raise it")
            assert (gone.value.code, gone.value.resource) == ("BadWindow", NO_WINDOW)
            with pytest.raises(WindowGoneError):
                await connection.call(lambda d: window(d, NO_WINDOW).get_attributes(), FAR_S)
            with pytest.raises(XRequestError) as refused:
                await connection.call(lambda d: d.change_keyboard_control(bell_percent=-100), FAR_S)
            assert refused.value.code == "BadValue"
            assert isinstance(refused.value, InputError)
            await connection.call(sync, FAR_S)

    asyncio.run(body())
    assert capfd.readouterr() == ("", "")


def test_what_a_failed_job_has_not_sent_is_not_sent(server: Xvfb) -> None:
    async def body() -> None:
        async with connected(server.address) as connection:

            def job(xdisplay: Any) -> None:
                xdisplay.get_atom("UNSENT")
                mark(xdisplay, "UNSENT")
                raise LookupError

            with pytest.raises(LookupError):
                await connection.call(job, FAR_S)
            assert not await connection.call(lambda d: marked(d, "UNSENT"), FAR_S)
            await connection.call(lambda d: mark(d, "UNSENT"), FAR_S)
            assert await connection.call(lambda d: marked(d, "UNSENT"), FAR_S)

    asyncio.run(body())


def late_job(begun: threading.Event) -> Any:
    def job(xdisplay: Any) -> None:
        begun.set()
        xdisplay.sync()
        mark(xdisplay, "LATE")

    return job


async def hindered(connection: Connection) -> None:
    """Show that calls end while the server does not answer; the last of them is still blocked."""
    begun = threading.Event()
    with pytest.raises(
        DeadlineError, match=r"write it: not done in time .no answer from the X server"
    ):
        await connection.call(late_job(begun), SHORT_S, "write it")
    assert begun.is_set()
    ran: list[int] = []
    with pytest.raises(DeadlineError, match="behind an earlier request"):
        await connection.call(lambda _: ran.append(1), SHORT_S, "read it")
    assert ran == []


async def recovered(connection: Connection) -> None:
    """Show that it goes on, and that nothing of what was given up has happened."""
    await connection.call(sync, FAR_S)
    assert not await connection.call(lambda d: marked(d, "LATE"), FAR_S)


def test_a_stopped_server_ends_in_an_error_and_then_goes_on(server: Xvfb) -> None:
    async def body() -> None:
        async with connected(server.address) as connection:
            with stopped(server.pid):
                await hindered(connection)
            await recovered(connection)

    asyncio.run(body())


def test_another_clients_grab_ends_in_an_error_and_then_goes_on(server: Xvfb) -> None:
    async def body() -> None:
        async with connected(server.address) as connection:
            with xclient(server.address.environment()) as other:
                other.do("grab")
                await hindered(connection)
                other.do("ungrab")
                await recovered(connection)

    asyncio.run(body())


def test_a_cancelled_call_does_no_more(server: Xvfb) -> None:
    async def body() -> None:
        async with connected(server.address) as connection:
            begun = threading.Event()
            with stopped(server.pid):
                calling = asyncio.create_task(connection.call(late_job(begun), FAR_S))
                await until(begun.is_set)
                calling.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await calling
            await recovered(connection)

    asyncio.run(body())


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_the_death_of_the_server_is_told_at_once(how: signal.Signals) -> None:
    async def body() -> None:
        with own_display() as server:
            connection = await Connection.open(server.address, FAR_S)
            begun = threading.Event()
            with stopped(server.pid):
                calls = [
                    asyncio.create_task(connection.call(job, 3600))
                    for job in (late_job(begun), sync)
                ]
                await until(begun.is_set)
                os.kill(server.pid, how)
            async with asyncio.timeout(FAR_S):  # and not an hour
                found = await asyncio.gather(*calls, return_exceptions=True)
            assert [type(one) for one in found] == [DisplayDiedError, DisplayDiedError]
            with pytest.raises(DisplayDiedError, match=f"display {server.address.name} is gone"):
                await connection.call(sync, FAR_S)
            assert isinstance(connection.gone, WorldError)
            assert await connection.died() is connection.gone
            await connection.close()
            assert owners(server.address) == []

    asyncio.run(body())


def test_the_death_of_the_server_is_seen_while_nothing_is_asked() -> None:
    async def body() -> None:
        with own_display() as server:
            connection = await Connection.open(server.address, FAR_S)
            waiting = [asyncio.create_task(connection.died()) for _ in range(2)]
            waiting.pop().cancel()
            await asyncio.sleep(0)
            os.kill(server.pid, signal.SIGKILL)
            async with asyncio.timeout(FAR_S):
                assert isinstance(await waiting[0], DisplayDiedError)
            await connection.close()

    asyncio.run(body())


def test_closing_never_hangs_and_ends_the_thread(server: Xvfb) -> None:
    async def body() -> None:
        connection = await Connection.open(server.address, FAR_S)
        await connection.close()
        await connection.close()
        with pytest.raises(DisplayDiedError, match="closed here"):
            await connection.call(sync, FAR_S)
        blocked = await Connection.open(server.address, FAR_S)
        with stopped(server.pid):
            with pytest.raises(DeadlineError):
                await blocked.call(sync, SHORT_S)
            async with asyncio.timeout(FAR_S):
                await blocked.close()
            assert owners(server.address) == []

    asyncio.run(body())


def test_calls_that_wait_are_told_of_the_closing(server: Xvfb) -> None:
    async def body() -> None:
        connection = await Connection.open(server.address, FAR_S)
        with stopped(server.pid):
            calls = [asyncio.create_task(connection.call(sync, FAR_S)) for _ in range(3)]
            await asyncio.sleep(0)
            await connection.close()
            found = await asyncio.gather(*calls, return_exceptions=True)
        assert {type(one) for one in found} == {DisplayDiedError}

    asyncio.run(body())


def test_a_display_that_is_not_there_cannot_be_opened(server: Xvfb, tmp_path: Path) -> None:
    wrong = tmp_path / "authority"
    wrong.write_bytes(b"")

    async def fails(address: DisplayAddress, words: str) -> None:
        with pytest.raises(DisplayStartError, match=words):
            await Connection.open(address, FAR_S)

    async def body() -> None:
        await fails(DisplayAddress(":59999"), "no display :59999")
        await fails(DisplayAddress("elsewhere:1"), "names no display of this machine")
        await fails(replace(server.address, authority=None), "refuses us")
        await fails(replace(server.address, authority=wrong), f"no cookie in {wrong}")

    asyncio.run(body())


def test_a_server_that_does_not_answer_keeps_no_other_from_being_opened(server: Xvfb) -> None:
    async def body() -> None:
        with own_display() as other, stopped(other.pid):
            opening = asyncio.create_task(Connection.open(other.address, SHORT_S))
            await until(lambda: bool(owners(other.address)))
            async with connected(server.address) as connection:
                await connection.call(sync, FAR_S)
            with pytest.raises(DeadlineError, match=f"connect to display {other.address.name}"):
                await opening
            await until(lambda: not owners(other.address))

    asyncio.run(body())


def test_several_displays_in_one_process_are_kept_apart(server: Xvfb) -> None:
    async def body() -> None:
        with own_display() as other:
            async with (
                connected(server.address) as one,
                connected(other.address) as two,
            ):
                await one.call(lambda d: mark(d, "ONE"), FAR_S)
                await two.call(lambda d: mark(d, "TWO"), FAR_S)
                assert await one.call(lambda d: marked(d, "ONE"), FAR_S)
                assert not await two.call(lambda d: marked(d, "ONE"), FAR_S)

    before = {name: os.environ.get(name) for name in ("DISPLAY", "XAUTHORITY")}
    asyncio.run(body())
    assert before == {name: os.environ.get(name) for name in ("DISPLAY", "XAUTHORITY")}
