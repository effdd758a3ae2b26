"""The port `Desktop` in two worlds: the same calls, the same results, marks and errors."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from windtunnel.acting import on_behalf
from windtunnel.ports import Desktop
from windtunnel.services.bridge.flows.flows import QR_REGION
from windtunnel.systems.ui.click_targets import PREFIXES, TARGETS
from worlds_kit import WORLDS, Stage, play_in, same

pytestmark = pytest.mark.real

Steps = list[tuple[Any, ...]]

SENDS: Steps = [
    ("activate", "wechat"),
    ("click", "search"),
    ("type_text", "bob"),
    ("click", "result"),
    ("click", "input"),
    ("type_text", "two\nlines, 中文\n"),
    ("paste_text", "at once\nand whole"),
    ("click", "send"),
    ("click", "send"),  # of an empty box
    ("click", "session:alice"),
    ("paste_text", "left behind"),
    ("click", "session:bob"),
    ("click", "session"),
    ("click", "result"),  # of no search
]
SEARCHES: Steps = [
    ("click", "search"),
    ("key", "Return"),
    ("type_text", "ann"),
    ("type_text", "a"),  # behind what stands there it is nobody's name
    ("click", "session:bob"),
    ("key", "BackSpace", 4),
    ("type_text", "ann"),
    ("click", "session"),
    ("key", "Escape"),
]
KEYS: Steps = [
    ("click", "session:bob"),
    ("key", "a", 3),
    ("key", "shift+a"),
    ("key", "space"),
    ("key", "KP_Add"),
    ("key", "BackSpace", 2),
    ("key", "Tab"),
    ("key", "F5"),
    ("key", "shift"),
    ("key", "Caps_Lock"),
    ("type_text", "x\ty"),
    ("paste_text", "from the clipboard "),
    ("type_text", "héé"),  # the clipboard is as it was
    ("key", "ctrl+v", 2),
    ("key", "ctrl+shift+V"),
    ("key", "ctrl+a"),
    ("paste_text", ""),
    ("key", "ctrl+v"),
    ("key", "shift+Return"),
    ("key", "a", 0),
    ("key", "Escape"),
    ("key", "z"),
    ("paste_text", "astray"),
    ("key", "ctrl+v"),
    ("key", "Return"),
    ("type_text", "a\nb"),
    ("type_text", ""),
]
VIEWS: Steps = [
    ("click", "send"),  # no session is open
    ("click", "contact:bob"),
    ("click", "remark"),
    ("type_text", "Bob"),
    ("click", "confirm"),
    ("click", "input"),
    ("click", "requests"),
    ("click", "accept"),
    ("click", "moments"),
    ("click", "comment"),
    ("type_text", "fine"),
    ("key", "KP_Enter"),
    ("click", "like"),
    ("click", "delete"),
    ("click", "moments"),  # closes the dialog, and no more
    ("click", "publish"),
    ("click", "confirm"),  # of an empty text
    ("click", "search"),
    ("key", "Escape"),
    ("click", "session"),
    ("click", "link"),
    ("click", "share"),
    ("key", "Return"),
]
OVERLAYS: Steps = [
    ("click", "menu"),
    ("type_text", "lost"),
    ("key", "Down", 5),
    ("key", "Up"),
    ("click", "confirm"),
    ("key", "Return"),
    ("click", "search"),  # a dialog that stays
    ("key", "Escape"),
    ("click", "add"),
    ("click", "result"),
    ("type_text", "dave"),
    ("click", "result"),
    ("type_text", "x"),
    ("click", "confirm"),
    ("key", "Escape"),
    ("click", "session:bob"),
    ("type_text", "one\n"),
    ("click", "last_message"),
    ("key", "ctrl+v"),
    ("click", "forward"),
    ("type_text", "eve"),
    ("click", "result"),
    ("click", "confirm"),
    ("click", "last_message"),
    ("click", "revoke"),
    ("click", "attach"),
    ("type_text", "report.pdf"),
    ("key", "Return"),
]
REFUSED: Steps = [
    ("activate", "another"),
    ("activate", ""),
    ("click", "revoke"),
    ("click", "confirm"),
    ("click", "nothing of the kind"),
    ("click", "foo:bar"),
    ("click", "input:bob"),
    ("click", "contact"),
    ("click", "session:"),
    ("key", "Foo"),
    ("key", ""),
    ("key", "KP_5"),
    ("key", "é"),
    ("key", "hyper+v"),
    ("type_text", "nul\0"),
    ("type_text", "half \ud83d"),
    ("paste_text", "half \ude00"),
    ("paste_text", "nul\0"),
]
LOOKS: Steps = [
    ("window",),
    ("login_state",),
    ("wait_window", 1.0),
    ("wait_window", 0.0),
    ("hold", 0.01),
    ("capture",),
    ("capture", QR_REGION),
]
SCRIPTS = {
    "sends": SENDS,
    "searches": SEARCHES,
    "keys": KEYS,
    "views": VIEWS,
    "overlays": OVERLAYS,
    "looks": LOOKS,
}


def test_every_method_and_target_is_played() -> None:
    calls = [step for steps in SCRIPTS.values() for step in steps]
    assert {step[0] for step in calls} == {name for name in vars(Desktop) if name[0] != "_"}
    clicked = {step[1] for step in calls if step[0] == "click"}
    assert set(TARGETS) <= clicked
    assert all(any(target.startswith(prefix) for target in clicked) for prefix in PREFIXES)


@pytest.mark.parametrize("script", SCRIPTS)
def test_the_same_calls_do_the_same(script: str) -> None:
    async def body(stage: Stage) -> None:
        for step in SCRIPTS[script]:
            await stage.do(*step)
            await stage.look()

    same(body, friend_requests=[{"at": 0, "from": "carol"}])


def test_what_is_refused_is_refused_by_code() -> None:
    async def body(stage: Stage) -> None:
        for step in REFUSED:
            await stage.do(*step)
            await stage.look()

    told = [str(told).partition(":")[0] for what, told in same(body).seen if "(" in what]
    assert told[:4] == [*["WINDOW_NOT_FOUND"] * 2, *["TARGET_NOT_FOUND"] * 2]
    assert told[9:] == [*["KEY_NOT_FOUND"] * 5, *["TEXT_NOT_TYPABLE"] * 4]


COMMANDS: Steps = [
    ("activate", "wechat"),
    ("activate", "another"),
    ("click", "input"),
    ("click", "revoke"),
    ("key", "Return"),
    ("key", "Foo"),
    ("type_text", "lost"),
    ("paste_text", "lost"),
    ("capture",),
    ("login_state",),
    ("window",),
    ("wait_window", 0.1),
    ("hold", 0.01),
]


@pytest.mark.parametrize("running", [True, False])
def test_without_a_window_there_is_none_to_be_found(running: bool) -> None:
    async def body(stage: Stage) -> None:
        if running:
            await stage.inject("lose_window")
        for step in COMMANDS:
            await stage.do(*step)
        await stage.look()

    account = same(body, running=running, session="bob", missing_window=10_000_000)
    codes = [str(told).partition(":")[0] for what, told in account.seen if "(" in what]
    assert codes.count("WINDOW_NOT_FOUND") == len(COMMANDS) - 3


def test_a_command_that_does_not_end_is_given_up() -> None:
    """All at once, or it would take all day: each is an operation by itself."""
    hanging = [step for step in COMMANDS if step[0] not in ("window", "wait_window", "hold")]
    late = [("wait_window", 0.2), ("hold", 6.0)]

    async def body(stage: Stage) -> None:
        async def call(number: int, step: tuple[Any, ...]) -> None:
            with on_behalf(f"op-{number:02}", "probe"):
                await stage.do(*step)

        await stage.inject("hang", target=sorted({step[0] for step in hanging}))
        await stage.inject("slow", target=["wait_window"], by=10**9)
        steps = enumerate([*hanging, *late])
        await asyncio.gather(*(call(number, step) for number, step in steps))
        await stage.undo("hang")
        await stage.undo("slow")
        await stage.do("click", "input")
        await stage.look()

    # The order of what ends at one instant is nobody's; of each by itself it is told.
    account = same(body, session="bob", ordered=False)
    codes = [str(told).partition(":")[0] for _, told in account.seen]
    assert codes.count("TIMEOUT") == len(hanging) + 1
    assert account.kinds("text.misplaced", "click.missed") == []


def test_pictures_differ_where_the_screen_does() -> None:
    steps: list[Steps] = [
        [],
        [("click", "session:bob")],
        [("click", "last_message")],
        [("key", "Escape"), ("click", "moments")],
        [("click", "contact:bob")],
        [("click", "requests")],
        [("click", "menu")],
        [("click", "menu"), ("click", "add")],
        [("key", "Escape")],  # as before the menu
        [("click", "session:ann")],
        [("click", "link")],
    ]

    async def body(stage: Stage) -> None:
        async def shoot() -> None:
            twice = [stage.picture(await stage.desktop.capture()) for _ in range(2)]
            part = await stage.desktop.capture(QR_REGION)
            stage.seen.append((*twice, (part.width, part.height, len(part.pixels))))

        for some in steps:
            for step in some:
                await stage.do(*step)
            await shoot()
        for fault in ("popup", "log_out"):
            await stage.inject(fault)
            await shoot()
            await stage.undo(fault)
        await shoot()

    shots = {}
    for world in WORLDS:
        seen = play_in(world, body).seen
        shots[world] = [shot for shot in seen if isinstance(shot[0], int)]
        assert all(shot[0] == shot[1] for shot in shots[world]), "nothing has changed between two"
    sim, real = ([shot[0] for shot in shots[world]] for world in WORLDS)
    told_apart = [(a, b) for a in range(len(sim)) for b in range(a) if sim[a] != sim[b]]
    assert len(told_apart) > len(sim)
    assert [pair for pair in told_apart if real[pair[0]] == real[pair[1]]] == []
    assert [shot[2] for shot in shots["sim"]] == [shot[2] for shot in shots["real"]]


def test_the_code_is_seen_where_the_crop_is() -> None:
    async def body(stage: Stage) -> None:
        async def shoot() -> int:
            return stage.picture(await stage.desktop.capture(QR_REGION))

        shown = await shoot()
        await stage.inject("log_in")
        logged_in = await shoot()
        await stage.inject("log_out")
        logged_out = await shoot()
        stage.seen.append((shown, logged_in, logged_out))
        await stage.do("login_state")

    same(body, state="qr")
