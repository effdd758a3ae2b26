"""The machine: whatever is clicked, typed and killed, it is what a small model of its own says.

The model knows the same application told in another way: a stack of what lies over the window, and
a log of what was sent. Whatever happens, at most one thing has the keys, and a message goes out
only by the button or by Return, to the open session, as it stood in the box.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, ClassVar

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from desktop_kit import machine_of
from windtunnel.acting import Acting, acting
from windtunnel.canonical import digest
from windtunnel.errors import BridgeError
from windtunnel.ports import ProcessSpec
from windtunnel.units import SECOND
from windtunnel.wechat.keys import focus_of
from windtunnel.wechat.tables import PICTURED, POSITIONS
from windtunnel.world import WorldSpec
from windtunnel_models.machine.machine import Machine
from windtunnel_models.world import SimWorld

NAMES = ("ann", "bob")
TARGETS = sorted(
    {*POSITIONS, *PICTURED, "nowhere"}
    | {f"{kind}:{name}" for kind in ("session", "contact") for name in NAMES}
)
KEYS = ("Return", "Escape", "Down", "Up", "BackSpace", "ctrl+v", "Tab")
TEXTS = st.one_of(st.sampled_from(NAMES), st.text("xy", min_size=1, max_size=3))

FLOWS = (
    *[
        ("click search", f"type {name}", "click result", "click input", "type hello", "click send")
        for name in NAMES
    ],
    ("click search", "type bob", "click result", "click attach", "type /tmp/a", "key Return"),
    ("click session:ann", "click last_message", "click revoke"),
    (
        "click session",
        "click last_message",
        "click forward",
        "type bob",
        "click result",
        "click confirm",
    ),
    ("click contact:ann", "click remark", "type x", "click confirm"),
    ("click add", "type eve", "click result", "click confirm"),
    ("click requests", "click accept", "click confirm"),
    ("click moments", "click publish", "type x", "click confirm"),
    ("click moments", "click comment", "type x", "key Return"),
    ("click moments", "click delete", "click confirm"),
    ("click moments", "click forward", "click confirm"),
    ("click session", "click link", "click share", "click confirm"),
    ("click menu", "key Down", "key Down", "key Return", "click confirm"),
    ("click menu", "key Down", "key Return"),
)


class Model:
    """WeChat in few words.

    `over` is what lies over the window: what it is, its box, its choice, and whom its search found.
    """

    BOXED = frozenset({"file", "chooser", "add", "remark", "publish"})
    LIGHT = frozenset({"settings", "remark", "delete"})
    OPENS: ClassVar[dict[tuple[str, str], str]] = {
        ("contacts", "remark"): "remark",
        ("requests", "accept"): "accept",
        ("moments", "publish"): "publish",
        ("moments", "delete"): "delete",
        ("moments", "forward"): "forward_moment",
        ("link", "share"): "share",
        ("context_menu", "forward"): "chooser",
    }
    """Where, which target → the dialog it opens."""

    def __init__(self, requests: list[str]) -> None:
        self.logged_in = True
        self.popup = self.popup_focus = False
        self.requests = requests
        self.sent: list[tuple[str, str]] = []
        self.boxes: dict[str, str] = {}
        self.clipboard = ""
        self.ended()

    def fresh(self) -> None:
        self.page, self.open_, self.card = "chats", "", ""
        self.over: list[str] = []
        self.line = 0
        self.leave()

    def ended(self) -> None:
        """Its process was killed."""
        self.fresh()
        self.recent, self.boxes = ["filehelper"], {}

    # -------------------------------------------------- what lies where

    def leave(self) -> None:
        self.box, self.typed, self.found, self.comment = "", "", "", ""

    def turn(self, page: str) -> None:
        self.leave()
        self.page = page

    def open_session(self, name: str) -> None:
        self.turn("chats")
        self.open_, self.box = name, "input"
        if name not in self.recent:
            self.recent.insert(0, name)

    def deliver(self, to: str, text: str) -> None:
        self.sent.append((to, text))
        self.recent = [to, *(each for each in self.recent if each != to)]

    # -------------------------------------------------- clicks

    def click(self, target: str) -> bool:
        """Click; False where the target is not found."""
        if target in PICTURED:
            return self.click_picture(target)
        if self.popup:
            self.popup = self.popup_focus = False
        elif not self.logged_in:
            pass
        elif self.over:
            self.click_over(target)
        else:
            self.click_window(*target.partition(":")[::2])
        return True

    def click_over(self, target: str) -> None:
        name, text, choice, found = self.over
        if name in ("menu", "context_menu") or (name in self.LIGHT):
            self.over = []
        elif name in ("chooser", "add") and target in self.top_row and not choice:
            self.over = [name, text, found, found]

    @property
    def top_row(self) -> tuple[str, ...]:
        """The targets that lie where a dialog lists whom its search found."""
        return ("result", "session", f"session:{self.recent[0]}")

    def click_picture(self, target: str) -> bool:
        if self.popup or not self.logged_in:
            return False
        where = self.over[0] if self.over else self.page
        if target == "confirm":
            there = bool(self.over) and where not in ("menu", "context_menu", "file", "settings")
            if there:
                self.confirm()
            return there
        if (where, target) == ("context_menu", "revoke"):
            self.over = []
            if own := [n for n, (to, _) in enumerate(self.sent) if to == self.open_]:
                self.sent[own[-1]] = (self.open_, "[revoked]")
            return True
        if where == "moments" and target in ("like", "comment"):
            self.leave()
            self.box = "comment" if target == "comment" else ""
            return True
        return self.open_dialog(self.OPENS.get((where, target), ""))

    def open_dialog(self, dialog: str) -> bool:
        asks = {"remark": self.card, "accept": (self.requests or [""])[0]}
        if not dialog or not asks.get(dialog, "nobody"):
            return False
        if not self.over:
            self.leave()
        self.over = [dialog, "", asks.get(dialog, ""), ""]
        return True

    def click_window(self, name: str, whose: str) -> None:
        searching = self.box == "search" or self.typed
        match name:
            case "search":
                self.box, self.comment = "search", ""
            case "result" | "session" if searching:
                if self.found:
                    self.open_session(self.found)
            case "result" | "session":
                self.open_session(whose or self.recent[0])
            case "contact":
                self.turn("contacts")
                self.card = whose
            case "moments" | "requests":
                self.turn(name)
            case "menu" | "add":
                self.leave()
                self.over, self.line = [name, "", "", ""], 0
            case "input" | "send" | "attach" | "last_message" | "link":
                self.leave()
                if self.page == "chats" and self.open_:
                    self.click_pane(name)
            case _:
                self.leave()

    def click_pane(self, name: str) -> None:
        match name:
            case "input":
                self.box = "input"
            case "send":
                self.send()
            case "attach":
                self.over = ["file", "", "", ""]
            case "last_message":
                self.over = ["context_menu", "", "", ""]
            case "link":
                self.turn("link")

    def send(self) -> None:
        self.box = "input"
        if text := self.boxes.pop(self.open_, ""):
            self.deliver(self.open_, text)

    def confirm(self) -> None:
        name, text, choice, _ = self.over
        if (name in ("chooser", "add") and not choice) or (
            name in ("file", "publish") and not text
        ):
            return
        if name == "settings":
            return
        self.over = []
        if name == "file":
            self.deliver(self.open_, text)
        elif name == "chooser":
            own = [said for to, said in self.sent if to == self.open_]
            self.deliver(choice, own[-1] if own else "")
        elif name == "accept":
            self.requests = [each for each in self.requests if each != choice]
        elif name == "confirm_logout":
            self.log_out()

    def log_out(self) -> None:
        self.logged_in = False
        self.fresh()

    # -------------------------------------------------- keys

    @property
    def keys_go_to(self) -> str:
        if self.popup_focus:
            return "popup"
        if not self.logged_in:
            return "login"
        return self.over[0] if self.over else self.box

    def write(self, text: str) -> None:
        place = self.keys_go_to
        if place == "search":
            self.found = "" if self.typed else text
            self.typed += text
        elif place == "input":
            self.boxes[self.open_] = self.boxes.get(self.open_, "") + text
        elif place == "comment":
            self.comment += text
        elif place in self.BOXED:
            name, before, choice, _ = self.over
            asks = name in ("chooser", "add")
            found = text if asks and not before else ""
            self.over = [name, before + text, "" if asks else choice, found]

    def press(self, key: str) -> None:
        place = self.keys_go_to
        if key == "ctrl+v" and place not in ("", "login") and self.clipboard:
            self.write(self.clipboard)
        elif place == "popup":
            if key in ("Return", "Escape"):
                self.popup = self.popup_focus = False
        elif place == "menu":
            self.press_in_menu(key)
        elif place == "context_menu":
            if key in ("Return", "Escape"):
                self.over = []
        elif place in ("search", "input", "comment"):
            self.press_in_box(place, key)
        elif self.over and place != "login":
            self.press_in_dialog(key)

    def press_in_menu(self, key: str) -> None:
        if key in ("Down", "Up"):
            self.line = max(1, min(3, self.line + (1 if key == "Down" else -1)))
        elif key in ("Return", "Escape"):
            opened = (
                {1: "settings", 2: "confirm_logout"}.get(self.line) if key == "Return" else None
            )
            self.over = [opened, "", "", ""] if opened else []

    def press_in_box(self, place: str, key: str) -> None:
        if key == "Escape":
            self.leave()
        elif key == "Return" and place == "search" and self.found:
            self.open_session(self.found)
        elif key == "Return" and place == "input":
            self.send()
        elif key == "Return" and place == "comment" and self.comment:
            self.leave()
        elif key == "BackSpace" and place == "search":
            self.typed, self.found = self.typed[:-1], ""
        elif key == "BackSpace" and place == "input":
            self.boxes[self.open_] = self.boxes.get(self.open_, "")[:-1]
        elif key == "BackSpace" and place == "comment":
            self.comment = self.comment[:-1]

    def press_in_dialog(self, key: str) -> None:
        name, text, choice, _ = self.over
        if key == "Escape":
            self.over = []
        elif key == "Return":
            self.confirm()
        elif key == "BackSpace":
            self.over = [name, text[:-1], "" if name in ("chooser", "add") else choice, ""]


class Commands(RuleBasedStateMachine):
    """Every sequence of commands, on the machine and on the model."""

    def __init__(self) -> None:
        super().__init__()
        requests = ["ann", "eve"]
        wechat = {
            "autostart": None,
            "friend_requests": [{"at": 0, "from": name} for name in requests],
        }
        self.world = SimWorld(WorldSpec(given={"wechat": wechat}))
        self.machine = machine_of(self.world)
        self.screen = self.machine.screen
        self.model = Model(requests)
        self.last = ""

    def teardown(self) -> None:
        self.world.loop.close()

    def run(self, call: Coroutine[Any, Any, object]) -> str:
        """Run a command of a port; give the code of its error, or nothing."""

        async def main() -> str:
            acting.set(Acting("op", "send_text"))
            try:
                await call
            except BridgeError as error:
                return error.code
            return ""

        return self.world.loop.run_until_complete(main())  # type: ignore[no-any-return]

    @rule(where=st.sampled_from(TARGETS))
    def click(self, where: str) -> None:
        code = self.run(self.machine.desktop.click(where))
        assert code == ("" if self.model.click(where) else "TARGET_NOT_FOUND")
        self.last = where

    @rule(key=st.sampled_from(KEYS))
    def press(self, key: str) -> None:
        assert not self.run(self.machine.desktop.key(key))
        self.model.press(key)
        self.last = key

    @rule(text=TEXTS)
    def type_text(self, text: str) -> None:
        assert not self.run(self.machine.desktop.type_text(text))
        self.model.write(text)
        self.last = "text"

    @rule(text=TEXTS)
    def paste(self, text: str) -> None:
        assert not self.run(self.machine.desktop.paste_text(text))
        self.model.clipboard = text
        self.model.write(text)
        self.last = "text"

    @rule(flow=st.sampled_from(FLOWS), cut=st.integers(1, 8))
    def begin_a_flow(self, flow: tuple[str, ...], cut: int) -> None:
        for step in flow[:cut]:
            verb, _, word = step.partition(" ")
            {"click": self.click, "key": self.press, "type": self.type_text}[verb](word)
            self.is_what_the_model_says()
            self.one_thing_has_the_keys()
            self.a_message_goes_out_only_by_the_button_or_by_return()

    @rule()
    def activate(self) -> None:
        assert not self.run(self.machine.desktop.activate("wechat"))
        self.model.popup_focus = False
        self.last = "activate"

    @rule(up=st.booleans())
    def popup(self, up: bool) -> None:
        if up:
            self.screen.open_popup()
        else:
            self.screen.close_popup()
        self.model.popup = self.model.popup_focus = up
        self.last = "popup"

    @precondition(lambda self: not self.model.logged_in)
    @rule()
    def log_in(self) -> None:
        self.machine.surface.log_in_or_out("logged_in")
        self.model.logged_in = True
        self.last = "log in"

    @precondition(lambda self: self.model.logged_in)
    @rule()
    def restart(self) -> None:
        processes = self.machine.processes
        assert not self.run(processes.kill(self.machine.wechat.pid))
        self.model.ended()
        assert self.run(self.machine.desktop.click("search")) == "WINDOW_NOT_FOUND"
        assert not self.run(processes.start(ProcessSpec("wechat", ())))
        assert not self.run(self.machine.desktop.wait_window(10))
        self.model.popup_focus = False
        self.last = "restart"

    @invariant()
    def is_what_the_model_says(self) -> None:
        screen, model = self.screen, self.model
        assert screen.login == ("logged_in" if model.logged_in else "logged_out")
        assert (screen.popup, screen.raised) == (model.popup, not model.popup_focus)
        assert (screen.view, screen.session or "") == (model.page, model.open_)
        assert screen.over() == ("login" if not model.logged_in else (model.over or [""])[0])
        assert list(reversed(screen.sessions)) == model.recent
        assert screen.drafts == {name: text for name, text in model.boxes.items() if text}
        assert screen.search == model.typed
        if screen.dialog:
            assert [
                screen.dialog,
                screen.box,
                screen.choice or "",
                screen.result or "",
            ] == model.over
        else:
            assert (screen.result or "") == model.found
        assert screen.comment == model.comment
        assert (screen.contact or "") == model.card
        assert self.machine.database.requests == tuple(model.requests)
        messages = [each for each in self.machine.database.messages if each.outgoing]
        assert [(each.contact, each.text) for each in messages] == model.sent

    @invariant()
    def one_thing_has_the_keys(self) -> None:
        screen = self.screen
        over = [bool(screen.dialog), screen.menu is not None, screen.context]
        assert sum(over) <= 1
        assert not (screen.login != "logged_in" and any(over))
        has = focus_of(self.machine.surface)
        wanted = self.model.keys_go_to
        assert has == ("dialog" if wanted and wanted == screen.dialog else wanted or "none")

    @invariant()
    def a_box_in_focus_is_there(self) -> None:
        screen = self.screen
        if screen.focus == "input":
            assert (screen.view, bool(screen.session)) == ("chats", True)
        assert screen.focus != "comment" or screen.view == "moments"
        assert screen.focus == "comment" or not screen.comment
        assert screen.dialog or (screen.box, screen.choice) == ("", None)

    @invariant()
    def a_message_goes_out_only_by_the_button_or_by_return(self) -> None:
        sent = [event for event in self.world.trace if event.kind == "message.delivered"]
        for event in sent[self.seen :]:
            assert self.last in ("send", "Return", "confirm")
            assert event.op == "op"
        self.seen = len(sent)

    seen = 0


@pytest.mark.spec("UI-F3", "UI-F4")
def test_the_machine_is_what_the_model_says() -> None:
    run_state_machine_as_test(Commands, settings=settings(max_examples=200, stateful_step_count=40))


# ---------------------------------------------------------------- equal seeds, equal runs


async def a_day(world: SimWorld) -> None:
    """Draw latencies and autostarts, several times each."""
    for number in range(3):
        await asyncio.gather(
            *(machine_of(world).desktop.login_state() for _ in range(3)),
            machine_of(world).desktop.click(f"session:room-{number}"),
        )
        await machine_of(world).processes.kill(machine_of(world).wechat.pid)
        await machine_of(world).desktop.wait_window(30)


def test_equal_seeds_give_equal_traces_and_others_others(
    play_desktop: Callable[..., SimWorld],
) -> None:
    first, again, other = (digest(play_desktop(a_day, seed=seed).trace) for seed in (7, 7, 8))
    assert first == again
    assert first != other


def test_a_latency_more_or_less_does_not_move_the_autostart(
    play_desktop: Callable[..., SimWorld],
) -> None:
    async def body(world: SimWorld) -> None:
        await machine_of(world).processes.kill(machine_of(world).wechat.pid)
        began = world.loop.time_ns()
        await machine_of(world).desktop.wait_window(30)
        waits.append(world.loop.time_ns() - began)

    waits: list[int] = []
    play_desktop(body)
    play_desktop(lambda world: draw_first(world, body))
    assert waits[0] == waits[1]


async def draw_first(
    world: SimWorld, body: Callable[[SimWorld], Coroutine[Any, Any, None]]
) -> None:
    await machine_of(world).desktop.login_state()
    await body(world)


# ---------------------------------------------------------------- what comes in


def test_friend_requests_come_in_their_time(
    play_desktop: Callable[..., SimWorld], tell: Callable[..., list[tuple[Any, ...]]]
) -> None:
    async def body(world: SimWorld) -> None:
        records = machine_of(world).ports.records
        assert records is not None
        assert await records.friend_requests() == ("ann",)
        await asyncio.sleep(10)
        assert await records.friend_requests() == ("ann", "bob", "eve")

    times = ((2, "bob"), (0, "ann"), (2, "eve"), (3, "bob"))
    requests = [{"at": at * SECOND, "from": who} for at, who in times]
    assert tell(play_desktop(body, friend_requests=requests)) == [
        (0, "friend.requested", "ann"),
        (2, "friend.requested", "bob"),
        (2, "friend.requested", "eve"),
    ]


def test_it_offers_every_port() -> None:
    machine = machine_of(SimWorld(WorldSpec()))
    assert isinstance(machine, Machine)
    assert machine.ports.desktop is machine.desktop
    assert machine.ports.processes is machine.processes
    assert machine.ports.records is not None
