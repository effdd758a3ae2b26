"""The windows: found by class, process and title; at their place; a popup over them."""

from __future__ import annotations

from pathlib import Path

from standin_kit import Standin, standin
from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.display.window_manager import WindowManager
from windtunnel_real.display.xvfb import Xvfb
from windtunnel_real.standin.layout import ORIGIN, POPUP, WINDOW


def test_it_is_called_and_lies_as_it_should(app: Standin) -> None:
    display = app.hands.display
    window = display.create_resource_object("window", app.state()["window_id"])

    def read(name: str) -> object:
        return window.get_full_property(display.get_atom(name), 0).value

    assert window.get_wm_class() == ("wechat", "wechat")
    assert bytes(read("_NET_WM_NAME")).decode() == "微信"  # type: ignore[call-overload]
    assert list(read("_NET_WM_PID")) == [app.process.pid]  # type: ignore[call-overload]
    place = window.translate_coords(display.screen().root, 0, 0)
    assert (-place.x, -place.y) == ORIGIN
    size = window.get_geometry()
    assert (size.width, size.height) == (WINDOW.width, WINDOW.height)
    assert Path(f"/proc/{app.process.pid}/comm").read_text("utf-8") == "wechat\n"


def test_title_and_class_are_given_and_changed(address: DisplayAddress, tmp_path: Path) -> None:
    arguments = ("--first", "--title", "消息", "--class", "other")
    with standin(address, tmp_path, *arguments) as app:
        display = app.hands.display
        window = display.create_resource_object("window", app.state()["window_id"])
        assert window.get_wm_class() == ("other", "other")
        before = app.hands.frame()
        app.ask("title", title="另一个")
        app.ask("class", **{"class": "third"})
        title = window.get_full_property(display.get_atom("_NET_WM_NAME"), 0)
        assert title.value.decode() == "另一个"
        assert window.get_wm_class() == ("third", "third")
        assert app.hands.frame() != before


def test_a_popup_is_another_programs_window_with_the_focus(app: Standin) -> None:
    own = app.state()["window_id"]
    app.ask("popup")
    display, root = app.hands.display, app.hands.root
    top = root.query_tree().children[-1]
    assert top.id != own
    assert top.get_wm_class() == ("updater", "Updater")
    assert top.get_attributes().override_redirect
    place = top.get_geometry()
    assert (place.x, place.y) == (ORIGIN[0], ORIGIN[1] + POPUP.y)
    assert (place.width, place.height) == (POPUP.width, POPUP.height)
    assert display.get_input_focus().focus.id == top.id
    app.hands.focus(own)
    app.ask("drain")
    assert root.query_tree().children[-1].id == top.id
    assert display.get_input_focus().focus.id == own
    app.ask("close_popup")
    assert [child.id for child in root.query_tree().children] == [own]
    assert display.get_input_focus().focus.id == own


def test_it_is_the_same_under_a_window_manager(tmp_path: Path) -> None:
    display = Xvfb.start()
    try:
        manager = WindowManager.start(display.address)
        try:
            with standin(display.address, tmp_path, "--first", "--session", "alice") as app:
                _use(app)
        finally:
            manager.stop()
    finally:
        display.stop()


def _use(app: Standin) -> None:
    window = app.hands.display.create_resource_object("window", app.state()["window_id"])
    for _ in range(2):
        state = app.state()
        assert (state["window"], state["raised"]) == (True, True)
        place = window.translate_coords(app.hands.root, 0, 0)
        assert (-place.x, -place.y) == ORIGIN
        app.ask("unmap")
        assert not app.state()["window"]
        app.ask("map")
    app.ask("popup")
    app.hands.type("lost")
    assert app.lines("text.misplaced") == [{"resource": "popup", "text": "lost"}]
    app.click("input")
    app.click("input")
    app.hands.type("kept")
    state = app.state()
    assert (state["popup"], state["drafts"]) == (False, {"alice": "kept"})
