"""Links: each step has a deadline, each refusal a line that mends it."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from display_kit import client, stopped, wait_until
from windtunnel_real.display import link as link_module
from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.display.cookie import Cookie
from windtunnel_real.display.link import Link, display_number
from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.errors import DeadlineError, DisplayDiedError, DisplayStartError

LONG = 60.0
SHORT = 0.2


def test_it_tells_the_screen(xvfb: Xvfb) -> None:
    with closing(Link.open(xvfb.address, timeout=LONG)) as link, client(xvfb.address) as display:
        root = display.screen()
        assert link.screen.root == root.root.id
        assert (link.screen.width, link.screen.height) == (1280, 800)
        assert (link.screen.width_mm, link.screen.height_mm) == (
            root.width_in_mms,
            root.height_in_mms,
        )


def test_a_property_is_read_and_others_are_none(xvfb: Xvfb) -> None:
    with closing(Link.open(xvfb.address, timeout=LONG)) as link, client(xvfb.address) as display:
        root = display.screen().root
        name = display.intern_atom("WINDTUNNEL_PROBE")
        root.change_property(name, display.intern_atom("STRING"), 8, b"seven")
        display.sync()
        read = link.property_of
        assert read(root.id, "WINDTUNNEL_PROBE", timeout=LONG) == b"seven"
        assert read(root.id, "WINDTUNNEL_NEVER_NAMED", timeout=LONG) is None
        assert read(root.id, "WM_HINTS", timeout=LONG) is None
        assert read(0x7FFFFFF, "WINDTUNNEL_PROBE", timeout=LONG) is None
        assert read(root.id, "WINDTUNNEL_PROBE", timeout=LONG) == b"seven"


def test_changed_keymaps_are_overlooked(xvfb: Xvfb) -> None:
    with closing(Link.open(xvfb.address, timeout=LONG)) as link, client(xvfb.address) as display:
        for _ in range(20):
            display.change_keyboard_mapping(200, [(0x61, 0x41)])
        display.sync()
        assert not link.closed()
        display.change_keyboard_mapping(200, [(0x61, 0x41)])
        display.sync()
        assert link.property_of(link.screen.root, "WM_HINTS", timeout=LONG) is None
        assert not link.closed()


def test_a_stopped_server_is_a_deadline_and_goes_on_later(fresh_xvfb: Xvfb) -> None:
    with closing(Link.open(fresh_xvfb.address, timeout=LONG)) as link:
        with stopped(fresh_xvfb.pid):
            with pytest.raises(DisplayStartError, match=r"does not answer within 0.2 s"):
                Link.open(fresh_xvfb.address, timeout=SHORT)
            with pytest.raises(DeadlineError):
                link.property_of(link.screen.root, "WM_HINTS", timeout=SHORT)
            assert not link.closed()
        Link.open(fresh_xvfb.address, timeout=LONG).close()


def test_a_server_that_another_client_holds_is_a_deadline(fresh_xvfb: Xvfb) -> None:
    with client(fresh_xvfb.address) as display:
        display.grab_server()
        display.sync()
        with pytest.raises(DisplayStartError, match="XGrabServer"):
            Link.open(fresh_xvfb.address, timeout=SHORT)


def test_no_time_at_all_is_a_deadline(xvfb: Xvfb) -> None:
    with pytest.raises(DisplayStartError, match="does not answer"):
        Link.open(xvfb.address, timeout=0)


def test_a_dead_server_closes_it_and_is_told_by_type(fresh_xvfb: Xvfb) -> None:
    with closing(Link.open(fresh_xvfb.address, timeout=LONG)) as link:
        os.kill(fresh_xvfb.pid, signal.SIGKILL)
        wait_until(link.closed, "the link sees the end")
        with pytest.raises(DisplayDiedError):
            link.property_of(link.screen.root, "WM_HINTS", timeout=LONG)


@pytest.mark.parametrize("end", ["kill", "close"])
def test_several_wait_for_its_end(fresh_xvfb: Xvfb, end: str) -> None:
    link = Link.open(fresh_xvfb.address, timeout=LONG)

    async def scene() -> None:
        waiting = [asyncio.create_task(link.wait_closed()) for _ in range(3)]
        await asyncio.sleep(0)
        assert not any(task.done() for task in waiting)
        if end == "kill":
            os.kill(fresh_xvfb.pid, signal.SIGKILL)
        else:
            link.close()
        await asyncio.wait_for(asyncio.gather(*waiting), LONG)
        link.close()
        await link.wait_closed()

    asyncio.run(scene())


def test_no_cookie_and_a_wrong_one_are_told_apart(xvfb: Xvfb, tmp_path: Path) -> None:
    wrong = tmp_path / "wrong"
    Cookie.fresh().write(wrong)
    empty = tmp_path / "empty"
    empty.touch()
    with pytest.raises(DisplayStartError, match=f"it has no cookie in {empty}.*XAUTHORITY"):
        Link.open(DisplayAddress(xvfb.address.name, empty), timeout=LONG)
    with pytest.raises(DisplayStartError, match="none is known"):
        Link.open(DisplayAddress(xvfb.address.name), timeout=LONG)
    with pytest.raises(DisplayStartError, match=f"the cookie in {wrong} is not its own"):
        Link.open(DisplayAddress(xvfb.address.name, wrong), timeout=LONG)
    with pytest.raises(DisplayStartError, match=r"absent cannot be read: No such file"):
        Link.open(DisplayAddress(xvfb.address.name, tmp_path / "absent"), timeout=LONG)


@contextmanager
def false_server(
    folder: Path, monkeypatch: pytest.MonkeyPatch, serve: Callable[[socket.socket], None]
) -> Iterator[DisplayAddress]:
    """Listen where a server of display 5 would, in a folder of the test's own."""
    monkeypatch.setattr(link_module, "SOCKET_FOLDER", str(folder))
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "X5"))
        listening.listen()

        def accept() -> None:
            with listening.accept()[0] as connected:
                serve(connected)

        thread = threading.Thread(target=accept)
        thread.start()
        try:
            yield DisplayAddress(":5")
        finally:
            thread.join(LONG)


def test_one_that_hangs_up_is_no_x_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        false_server(tmp_path, monkeypatch, lambda connected: None) as address,
        pytest.raises(DisplayStartError, match="hung up while we connected"),
    ):
        Link.open(address, timeout=LONG)


def test_the_reason_of_a_refusal_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reason = b"Maximum number of clients reached"

    def refuse(connected: socket.socket) -> None:
        connected.recv(64)
        body = reason + bytes(-len(reason) % 4)
        connected.sendall(struct.pack("<BBHHH", 0, len(reason), 11, 0, len(body) // 4) + body)

    with (
        false_server(tmp_path, monkeypatch, refuse) as address,
        pytest.raises(DisplayStartError, match=reason.decode()),
    ):
        Link.open(address, timeout=LONG)


def test_nobody_there_and_a_socket_left_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(link_module, "SOCKET_FOLDER", str(tmp_path))
    with pytest.raises(DisplayStartError, match=r"no display :5: nobody .* \(No such file"):
        Link.open(DisplayAddress(":5"), timeout=LONG)
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(tmp_path / "X5"))
    with pytest.raises(DisplayStartError, match="Connection refused"):
        Link.open(DisplayAddress(":5"), timeout=LONG)


@given(st.integers(0, 99999), st.sampled_from(["", "unix"]), st.sampled_from(["", ".0", ".12"]))
def test_a_display_of_this_machine_is_known_by_its_number(
    number: int, host: str, screen: str
) -> None:
    assert display_number(f"{host}:{number}{screen}") == number


@pytest.mark.parametrize("name", ["", "1", ":", ":x", "host:1", "localhost:10.0", ":1.", ":1\n"])
def test_any_other_name_is_refused(name: str) -> None:
    with pytest.raises(DisplayStartError, match="give it as :N"):
        display_number(name)
