"""The settings: extensions, keyboard and clipboard as another program has left them."""

from __future__ import annotations

import asyncio
import subprocess
from collections.abc import Callable

import pytest

from doctor_kit import FAR_S, server_as_told
from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.doctor import settings
from windtunnel_real.doctor.seen import Seen, ok
from windtunnel_real.x11.connection import Connection
from windtunnel_real.x11.xlib import X, XDisplay

Job = Callable[[XDisplay], Seen]


def ask(address: DisplayAddress, *jobs: Job) -> list[Seen]:
    """Run jobs over one connection."""

    async def run() -> list[Seen]:
        connection = await Connection.open(address, FAR_S)
        try:
            return [await connection.call(job, FAR_S) for job in jobs]
        finally:
            await connection.close()

    return asyncio.run(run())


def call(address: DisplayAddress, *command: str) -> None:
    subprocess.run(command, env=address.environment(), check=True, timeout=FAR_S)


def test_a_display_of_ours_is_as_it_should_be(address: DisplayAddress) -> None:
    found = dict(zip(settings.PROBES, ask(address, *settings.PROBES.values()), strict=True))
    assert {name: seen.state for name, seen in found.items()} == dict.fromkeys(found, "ok")
    assert found["xtest"].text.startswith("2.2, by The X.Org Foundation ")
    assert found["key-repeat"] == ok("on; off while we type")


def test_a_server_without_xtest() -> None:
    with server_as_told("-ac", "-tst") as (name, _):
        (seen,) = ask(DisplayAddress(name), settings.xtest)
    assert seen.state == "bad"


@pytest.mark.parametrize(("layout", "told"), [("gb", "gb, not us"), ("de", ""), ("ru", "abc")])
def test_another_layout(layout: str, told: str, address: DisplayAddress) -> None:
    call(address, "setxkbmap", layout)
    try:
        (seen,) = ask(address, settings.keyboard)
    finally:
        call(address, "setxkbmap", "us")
    assert (seen.state, seen.text.startswith(layout)) == ("warn", True)
    assert seen.mend == f"setxkbmap -display {address.name} us"
    assert told in seen.text


def test_key_repeat_that_is_off(address: DisplayAddress) -> None:
    def turn(mode: int) -> Job:
        def job(display: XDisplay) -> Seen:
            display.change_keyboard_control(auto_repeat_mode=mode)
            return ok("turned")

        return job

    found = ask(
        address,
        turn(X.AutoRepeatModeOff),
        settings.key_repeat,
        turn(X.AutoRepeatModeOn),
        settings.key_repeat,
    )
    assert [seen.text for seen in found[1::2]] == ["off", "on; off while we type"]


def test_keys_that_are_held_and_locks_that_are_on(address: DisplayAddress) -> None:
    call(address, "xdotool", "keydown", "Shift_L", "keydown", "a", "key", "Caps_Lock")
    try:
        (seen,) = ask(address, settings.keys_down)
    finally:
        assert seen.mend is not None
        subprocess.run(seen.mend, shell=True, env=address.environment(), check=True)  # noqa: S602 - the line itself is tested
    assert seen.state == "warn"
    assert {"a", "Shift_L"} <= set(seen.text.partition(";")[0].removeprefix("held: ").split(", "))
    assert seen.text.endswith("; on: Caps Lock")
    assert ask(address, settings.keys_down) == [ok("none held, no lock on")]


def test_a_clipboard_manager_that_is_there(address: DisplayAddress) -> None:
    def be_one(display: XDisplay) -> Seen:
        window = display.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
        window.set_wm_name("keeper")
        window.set_selection_owner(display.intern_atom("CLIPBOARD_MANAGER"), X.CurrentTime)
        return settings.clipboard(display)

    (seen,) = ask(address, be_one)
    assert (seen.state, seen.text) == ("warn", "one is there: keeper")
