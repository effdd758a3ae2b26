"""The application: real events on a real window do what the same calls do to the state machine."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from standin_kit import Standin, standin
from windtunnel.acting import Acting
from windtunnel.errors import BridgeError, Code
from windtunnel.wechat.accesses import NoAccesses
from windtunnel.wechat.clicks import click
from windtunnel.wechat.database import Database
from windtunnel.wechat.keys import insert, press, type_text
from windtunnel.wechat.screen import Screen
from windtunnel.wechat.surface import Surface
from windtunnel.wechat.tables import PICTURED, POSITIONS
from windtunnel_real.display.address import DisplayAddress
from windtunnel_real.standin.commands import PARTS
from windtunnel_real.standin.hits import missed


def test_it_is_there_as_a_run_begins_and_says_nothing(app: Standin) -> None:
    state = app.state()
    assert (state["window"], state["raised"], state["login"]) == (True, True, "logged_in")
    assert (state["session"], state["focus"], state["drafts"]) == ("alice", "none", {})
    assert app.wire.lines == []


@pytest.mark.spec("UI-F4")
def test_a_message_goes_to_whose_session_is_open(app: Standin) -> None:
    app.click("search")
    app.hands.type("Bob_2")
    app.click("result")
    app.hands.type("hello, World! {[~]}")
    app.click("send")
    assert app.lines("message.delivered") == [{"resource": "Bob_2", "text": "hello, World! {[~]}"}]
    assert app.state()["sessions"][-1] == "Bob_2"


def test_a_text_of_any_script_is_pasted_whole(app: Standin) -> None:
    text = "你好 мир 🎈\t— שלום\nline two"
    app.click("input")
    app.hands.paste(text)
    assert app.state()["drafts"] == {"alice": text}
    assert app.lines("text") == [
        {"resource": "wechat", "text": text, "place": "input", "pasted": True}
    ]


@pytest.mark.parametrize("size", [999, 1000, 250_000])
def test_a_long_text_comes_in_pieces(app: Standin, size: int) -> None:
    text = ("é" * size)[:size]
    app.click("input")
    app.hands.paste(text, piece=500 if size < 9999 else 60_000)
    assert app.state()["drafts"] == {"alice": text}


def test_what_follows_on_a_paste_waits_for_it(app: Standin) -> None:
    app.click("input")

    def meanwhile() -> None:
        app.hands.type("after")
        app.hands.key("Return")

    app.hands.paste("before ", before_serving=meanwhile)
    assert app.lines("message.delivered") == [{"resource": "alice", "text": "before after"}]


def test_an_owner_that_never_answers_is_given_up(app: Standin) -> None:
    app.click("input")
    with_nobody = app.hands
    with_nobody.display.screen().root.set_selection_owner(
        with_nobody.display.intern_atom("CLIPBOARD"), 0
    )
    with_nobody.key("ctrl+v")
    with_nobody.type("on")
    assert app.state()["drafts"] == {"alice": "on"}


def test_a_popup_takes_clicks_and_keys_until_it_is_closed(app: Standin) -> None:
    app.ask("popup")
    state = app.state()
    assert (state["popup"], state["raised"]) == (True, False)
    app.hands.type("lost")
    app.hands.focus(state["window_id"])
    assert app.state()["raised"]
    app.click("input")
    state = app.state()
    assert (state["popup"], state["raised"], state["focus"]) == (False, True, "none")
    assert app.lines("text.misplaced") == [{"resource": "popup", "text": "lost"}]
    assert app.lines("click")[-1]["hit"] == "popup"
    app.click("input")
    app.hands.type("kept")
    assert app.state()["drafts"] == {"alice": "kept"}


def test_a_popup_stays_above_and_leaves_the_badge_alone(app: Standin) -> None:
    before = app.hands.frame()
    app.ask("popup")
    state = app.state()
    app.hands.focus(state["window_id"])
    app.ask("drain")
    after = app.hands.frame()
    strip = before.width * 28 * 4
    assert after.pixels[:strip] == before.pixels[:strip]
    app.ask("drain")
    assert after.pixels[strip:] != before.pixels[strip:]
    app.ask("close_popup")
    app.ask("drain")
    assert app.hands.frame() == before
    assert app.state()["raised"]


def test_a_popup_gets_the_keys_by_the_focus_not_by_the_pointer(app: Standin) -> None:
    app.click("input")
    app.ask("popup")
    app.hands.key("Escape")
    assert not app.state()["popup"]
    app.ask("popup")
    window = app.state()["window_id"]
    app.hands.focus(window)
    app.hands.type("under it")
    state = app.state()
    assert state["popup"]
    assert state["drafts"] == {"alice": "under it"}


def test_a_window_that_is_lost_and_shown_again(app: Standin) -> None:
    app.click("input")
    app.hands.type("draft")
    app.ask("unmap")
    state = app.state()
    assert (state["window"], state["raised"]) == (False, False)
    app.ask("map")
    state = app.state()
    assert (state["window"], state["raised"]) == (True, True)
    assert state["drafts"] == {"alice": "draft"}
    pid = app.process.pid
    assert app.lines("wechat.gone") == [{"resource": "wechat", "pid": pid}]
    assert app.lines("wechat.shown") == [{"resource": "wechat", "pid": pid}]


def test_typing_in_two_goes_is_nobodys_name(app: Standin) -> None:
    app.click("search")
    app.hands.type("alice")
    app.ask("drain")
    app.hands.type("bob")
    state = app.state()
    assert (state["search"], state["result"]) == ("alicebob", None)


def test_what_no_box_takes_is_one_text(app: Standin) -> None:
    app.hands.type("lost letters")
    assert app.lines("text.misplaced") == [{"resource": "nothing", "text": "lost letters"}]


def test_the_application_takes_longer_when_it_is_slow(app: Standin) -> None:
    app.ask("slow", ms=40)
    app.click("input")
    app.hands.type("abc")
    app.ask("drain")
    click_at = next(line["at"] for line in app.wire.lines if line["kind"] == "click")
    text_at = next(line["at"] for line in app.wire.lines if line["kind"] == "text")
    assert text_at - click_at >= 3 * 40_000_000  # no less; how much more is not said


# ---------------------------------------------------------------- the same as the state machine

WHO = Acting("", "")
NAMES = st.sampled_from(["filehelper", "alice", "bob", "carol", "dave", "eve", "frank", "grace"])
TARGETS = st.one_of(
    st.sampled_from(sorted(POSITIONS)),
    st.sampled_from(sorted(PICTURED)),
    NAMES.map(lambda name: f"session:{name}"),
    NAMES.map(lambda name: f"contact:{name}"),
)
KEYS = st.sampled_from(["Return", "Escape", "BackSpace", "Down", "Up", "KP_Enter", "Tab", "Left"])
TEXTS = st.one_of(
    NAMES, st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=1, max_size=9)
)
ANY_TEXTS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=9
)
STEPS = st.lists(
    st.one_of(
        TARGETS.map(lambda target: ("click", target)),
        TARGETS.map(lambda target: ("click", target)),
        KEYS.map(lambda key: ("key", key)),
        TEXTS.map(lambda text: ("type", text)),
        ANY_TEXTS.map(lambda text: ("paste", text)),
        st.sampled_from(["logged_in", "logged_out", "qr"]).map(lambda state: ("login", state)),
        NAMES.map(lambda name: ("request", name)),
        st.just(("popup", "")),
        st.just(("close_popup", "")),
    ),
    min_size=1,
    max_size=14,
)
UNALIKE = frozenset({"session", "result"})


class Heard:
    """A recorder that keeps what it is told, as the log's lines have it."""

    def __init__(self) -> None:
        self.events: list[tuple[str, str, dict[str, Any]]] = []

    def record(
        self,
        kind: str,
        op: str = "",
        actor: str = "",
        class_: str = "",
        resource: str = "",
        outcome: str = "",
        details: Any = (),
    ) -> None:
        self.events.append((kind, resource, dict(details)))


class Both:
    """One stand-in and one bare state machine, to which the same is done."""

    def __init__(self, app: Standin) -> None:
        self.app = app
        self.heard = Heard()
        log = NoAccesses()
        screen = Screen(log, window=True, raised=True, login="logged_in")
        self.surface = Surface(screen, Database(log), self.heard)
        screen.open_session("alice")
        screen.leave_boxes()
        self.clicks: list[str] = []

    def do(self, what: str, argument: str) -> None:
        getattr(self, what)(argument)

    def click(self, target: str) -> None:
        screen = self.surface.screen
        dialog = screen.dialog_row
        if screen.top() == screen.dialog and dialog is not None and dialog.lists_results:
            # The top row is one place: on a window there is no clicking `session` beside `result`.
            target = "result" if target.partition(":")[0] == "session" else target
        try:
            click(self.surface, target, WHO)
        except BridgeError as error:
            if error.code != Code.TARGET_NOT_FOUND:
                raise
            self.app.ask("drain")
            assert self.app.find(target) is None
            return
        self.clicks.append(target)
        self.app.click(target)

    def key(self, name: str) -> None:
        press(self.surface, name, WHO)
        self.app.hands.key(name)

    def type(self, text: str) -> None:
        type_text(self.surface, text, WHO)
        self.app.hands.type(text)

    def paste(self, text: str) -> None:
        self.surface.screen.clipboard = text
        insert(self.surface, text, WHO)
        self.app.hands.paste(text)

    def login(self, state: Any) -> None:
        self.surface.log_in_or_out(state)
        self.app.ask("login", state=state)

    def request(self, name: str) -> None:
        if name not in self.surface.database.requests:
            self.surface.database.requests = (*self.surface.database.requests, name)
            self.heard.record("friend.requested", resource=name)
        self.app.ask("request", **{"from": name})

    def popup(self, _: str) -> None:
        self.surface.screen.open_popup()
        self.app.ask("popup")

    def close_popup(self, _: str) -> None:
        self.surface.screen.close_popup()
        self.app.ask("close_popup")

    def agree(self) -> None:
        """Assert that both are in the same state, and have told the same."""
        state, screen = self.app.state(), self.surface.screen
        assert {name: state[name] for name in PARTS} == {
            name: getattr(screen, name) for name in PARTS
        }
        assert state["sessions"] == list(screen.sessions)
        assert state["account"] == self.surface.database.account
        assert self._told() == self.heard.events

    def _told(self) -> list[tuple[str, str, dict[str, Any]]]:
        """Return what the stand-in told, as the trace would have it."""
        told, meant = [], iter(self.clicks)
        for line in self.app.wire.lines:
            kind, details = line["kind"], line["details"]
            if kind == "click":
                target = next(meant)
                if hit := missed(target, details["target"], details["hit"]):
                    told.append(("click.missed", target, {"hit": hit}))
            elif kind not in ("key", "text"):
                told.append((kind, line["resource"], details))
        # A click's own line comes before what it brings about, the simulation's after it.
        return sorted(told, key=str)


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as made:
        yield Path(made)


@given(steps=STEPS)
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_window_and_the_state_machine_agree(
    steps: list[tuple[str, str]], address: DisplayAddress, folder: Path
) -> None:
    with (
        tempfile.TemporaryDirectory(dir=folder) as own,
        standin(address, Path(own), "--first", "--session", "alice") as app,
    ):
        both = Both(app)
        for what, argument in steps:
            both.do(what, argument)
            app.ask("drain")
        both.heard.events.sort(key=str)
        both.agree()
