"""The window manager: ready when it is said to be, and it holds nothing back."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
from Xlib import XK, X
from Xlib.ext import xtest

from display_kit import client, false_program, is_gone, state_of, stopped, wait_until
from windtunnel_real.display.link import Link
from windtunnel_real.display.window_manager import WindowManager, is_managed
from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.errors import DisplayStartError

LONG = 60.0
TRIALS = 60
SEEN = {X.ButtonPress: "click", X.KeyPress: "key"}

WITH_BINDINGS = """<?xml version="1.0"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <theme><name>Clearlooks</name></theme>
  <keyboard></keyboard>
  <mouse><context name="Client"><mousebind button="Left" action="Press">
    <action name="Focus"/><action name="Raise"/></mousebind></context></mouse>
</openbox_config>
"""


@contextmanager
def managed(display: Xvfb, **options: Any) -> Iterator[WindowManager]:
    manager = WindowManager.start(display.address, timeout=LONG, **options)
    try:
        yield manager
    finally:
        manager.stop()


class Window:
    """A window at 100, 100 with the size 400 × 300, and what it received, in order."""

    def __init__(self, display: Any) -> None:
        self.display = display
        root = display.screen().root
        mask = X.ButtonPressMask | X.KeyPressMask | X.FocusChangeMask | X.StructureNotifyMask
        self.window = root.create_window(100, 100, 400, 300, 0, 24, event_mask=mask)
        self.window.set_wm_normal_hints(flags=1)  # USPosition: the place was asked for
        self.window.map()
        self.kinds: list[int] = []
        self.wait_for(X.MapNotify)

    def wait_for(self, kind: int, count: int = 1) -> None:
        def has_come() -> bool:
            for _ in range(self.display.pending_events()):
                self.kinds.append(self.display.next_event().type)
            return self.kinds.count(kind) >= count

        wait_until(has_come, f"event {kind} comes {count} times")

    def order(self) -> list[str]:
        return [SEEN[kind] for kind in self.kinds if kind in SEEN]


def click_then_key(injector: Any) -> None:
    """Click into the window and press a key behind it, as fast as the server takes them."""
    key = injector.keysym_to_keycode(XK.string_to_keysym("a"))
    xtest.fake_input(injector, X.MotionNotify, x=300, y=250)
    for kind, detail in (
        (X.ButtonPress, 1),
        (X.ButtonRelease, 1),
        (X.KeyPress, key),
        (X.KeyRelease, key),
    ):
        xtest.fake_input(injector, kind, detail)
    injector.sync()


def orders(display: Xvfb) -> list[list[str]]:
    """Give the order in which click and key arrived, of each trial."""
    with client(display.address) as program, client(display.address) as injector:
        window = Window(program)
        window.wait_for(X.FocusIn)
        seen = []
        for _ in range(TRIALS):
            window.kinds.clear()
            click_then_key(injector)
            window.wait_for(X.ButtonPress)
            window.wait_for(X.KeyPress)
            seen.append(window.order())
        return seen


def test_under_our_configuration_no_key_overtakes_a_click(fresh_xvfb: Xvfb) -> None:
    with managed(fresh_xvfb):
        assert orders(fresh_xvfb) == [["click", "key"]] * TRIALS


def test_with_mouse_bindings_keys_overtake_clicks(fresh_xvfb: Xvfb, tmp_path: Path) -> None:
    """The reason for our configuration: the manager grabs the button synchronously."""
    configuration = tmp_path / "rc.xml"
    configuration.write_text(WITH_BINDINGS)
    with managed(fresh_xvfb, configuration=configuration):
        assert ["key", "click"] in orders(fresh_xvfb)


def test_a_window_is_where_it_asked_to_be_without_a_border_and_has_the_focus(
    fresh_xvfb: Xvfb,
) -> None:
    with managed(fresh_xvfb), client(fresh_xvfb.address) as program:
        window = Window(program)
        window.wait_for(X.FocusIn)
        assert program.get_input_focus().focus == window.window
        at = window.window.translate_coords(program.screen().root, 0, 0)
        assert (-at.x, -at.y) == (100, 100)
        size = window.window.get_geometry()
        assert (size.width, size.height) == (400, 300)
        extents = window.window.get_full_property(
            program.intern_atom("_NET_FRAME_EXTENTS"), X.AnyPropertyType
        )
        assert list(extents.value) == [0, 0, 0, 0]


def test_the_first_window_is_shown_though_nothing_else_happens() -> None:
    """Openbox lets events lie that came before it looked: most first windows, without our wait."""
    for _ in range(6):
        display = Xvfb.start(timeout=LONG)
        try:
            with managed(display), client(display.address) as program:
                Window(program)
        finally:
            display.stop()


def test_no_manager_is_seen_and_one_that_was_killed_leaves_no_trace(fresh_xvfb: Xvfb) -> None:
    with closing(Link.open(fresh_xvfb.address, timeout=LONG)) as link:
        assert not is_managed(link, timeout=LONG)
        with managed(fresh_xvfb) as manager:
            assert is_managed(link, timeout=LONG)
            assert manager.alive()
            os.kill(manager.pid, signal.SIGKILL)
            wait_until(lambda: not manager.alive(), "it is dead")
            wait_until(lambda: not is_managed(link, timeout=LONG), "the server has noticed")
            named = link.property_of(link.screen.root, "_NET_SUPPORTING_WM_CHECK", timeout=LONG)
            assert named  # the root's word alone would have been believed
        with managed(fresh_xvfb):
            assert is_managed(link, timeout=LONG)


def test_stop_leaves_nothing_and_twice_is_once(
    fresh_xvfb: Xvfb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    manager = WindowManager.start(fresh_xvfb.address, timeout=LONG)
    manager.stop()
    manager.stop()
    assert state_of(manager.pid) == ""
    assert isinstance(manager.errors(), str)
    assert list(tmp_path.iterdir()) == []
    assert fresh_xvfb.alive()


def test_it_ends_with_its_display(fresh_xvfb: Xvfb) -> None:
    with managed(fresh_xvfb) as manager:
        fresh_xvfb.stop()
        wait_until(lambda: is_gone(manager.pid), "it ends")
        assert not manager.alive()


def test_two_on_one_display_are_refused(fresh_xvfb: Xvfb) -> None:
    with managed(fresh_xvfb), pytest.raises(DisplayStartError, match="a window manager already"):
        WindowManager.start(fresh_xvfb.address, timeout=LONG)


def test_no_openbox_on_the_path(
    xvfb: Xvfb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DisplayStartError, match=r"no program openbox .*apt-get install openbox"):
        WindowManager.start(xvfb.address)


@pytest.mark.parametrize(
    ("script", "timeout", "told"),
    [
        ("echo 'no theme' >&2; exit 1", LONG, r"ended while it started: exit code 1.*\nno theme"),
        ("exec sleep 999", 0.5, "does not manage display :.* in time"),
    ],
)
def test_one_that_does_not_get_ready(
    script: str,
    timeout: float,
    told: str,
    xvfb: Xvfb,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    program = false_program(tmp_path / "bin", "openbox", script)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with pytest.raises(DisplayStartError, match=told):
        WindowManager.start(xvfb.address, timeout=timeout)
    assert not list(tmp_path.glob("windtunnel-*"))


def test_a_display_that_hangs_or_dies_meanwhile(
    fresh_xvfb: Xvfb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, told in ((signal.SIGSTOP, "does not answer"), (signal.SIGKILL, "hung up")):
        script = f"kill -{int(number)} {fresh_xvfb.pid}; exec sleep 999"
        program = false_program(tmp_path / "bin", "openbox", script)
        monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
        with pytest.raises(DisplayStartError, match=told):
            WindowManager.start(fresh_xvfb.address, timeout=2.0)
        if number == signal.SIGSTOP:
            os.kill(fresh_xvfb.pid, signal.SIGCONT)


def test_a_stopped_display_is_given_up_in_time(fresh_xvfb: Xvfb) -> None:
    with stopped(fresh_xvfb.pid), pytest.raises(DisplayStartError, match="does not answer"):
        WindowManager.start(fresh_xvfb.address, timeout=0.3)


def test_the_configuration_is_well_formed() -> None:
    from windtunnel_real.display.window_manager import CONFIGURATION

    subprocess.run(
        ["python3", "-c", "import sys, xml.dom.minidom as m; m.parse(sys.argv[1])", CONFIGURATION],
        check=True,
    )
    text = CONFIGURATION.read_text()
    assert "<mousebind" not in text
    assert "<keybind" not in text
