"""Accesses: nobody hears by default; who listens hears every part of every object touched."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from typing import Any, ClassVar

import pytest

from desktop_kit import machine_of
from windtunnel.errors import BridgeError
from windtunnel.ports import Desktop, Processes, ProcessSpec, Program, Records
from windtunnel.wechat.database import Database
from windtunnel.wechat.keys import PRESSES
from windtunnel.wechat.screen import Screen
from windtunnel.wechat.tables import PICTURED, POSITIONS
from windtunnel.world import WorldSpec
from windtunnel_models.access import COMMAND_ACCESSES, AccessLog
from windtunnel_models.world import SimWorld


@dataclass(slots=True)
class Thing:
    log: AccessLog
    part: int = 1
    private: int = 2

    RESOURCE: ClassVar[str] = "thing"
    PARTS: ClassVar[frozenset[str]] = frozenset({"part"})

    def grow(self) -> None:
        self.part += self.private


@pytest.fixture
def thing() -> Thing:
    thing = Thing(AccessLog())
    thing.log.watch(thing)
    return thing


def test_nobody_listens_by_default(thing: Thing) -> None:
    assert thing.log.listener is None
    thing.log.report("display", "write")
    thing.grow()
    assert type(thing) is Thing


def test_who_listens_hears_parts_read_and_written(
    thing: Thing, hearing: Callable[..., Any]
) -> None:
    with hearing(thing.log) as heard:
        thing.grow()
        thing.log.report("display", "write")
    assert heard == [("thing.part", "read"), ("thing.part", "write"), ("display", "write")]
    assert thing.part == 3


def test_who_stops_listening_hears_no_more(thing: Thing, hearing: Callable[..., Any]) -> None:
    with hearing(thing.log) as heard:
        assert isinstance(thing, Thing)
        heard.clear()
    thing.grow()
    assert (heard, type(thing)) == ([], Thing)


def test_two_worlds_do_not_hear_each_other(hearing: Callable[..., Any]) -> None:
    first, second = (Thing(AccessLog()) for _ in range(2))
    for each in (first, second):
        each.log.watch(each)
    with hearing(first.log) as heard, hearing(second.log) as also_heard:
        second.grow()
    assert not heard
    assert len(also_heard) == 2


# ---------------------------------------------------------------- what each command may touch

CHAT = ("click session:bob", "type_text hello")
STATES: dict[str, tuple[str, ...]] = {
    "bare": (),
    "searching": ("click search", "type_text bob"),
    "searching in vain": ("click search",),
    "session": (*CHAT, "click send"),
    "draft": CHAT,
    "no box in focus": (*CHAT, "key Escape"),
    "older session": (*CHAT, "click session:eve", "click session:bob"),
    "context menu": (*CHAT, "click send", "click last_message"),
    "chooser": (*CHAT, "click send", "click last_message", "click forward", "type_text eve"),
    "chosen": (
        *(*CHAT, "click send", "click last_message", "click forward", "type_text eve"),
        "click result",
    ),
    "file": (*CHAT, "click attach", "type_text /tmp/a"),
    "link": (*CHAT, "click link"),
    "share": (*CHAT, "click link", "click share"),
    "menu": ("click menu", "key Down"),
    "settings chosen": ("click menu", "key Down"),
    "log-out chosen": ("click menu", "key Down", "key Down"),
    "confirm log-out": ("click menu", "key Down", "key Down", "key Return"),
    "settings": ("click menu", "key Down", "key Return"),
    "card": ("click contact:bob",),
    "remark": ("click contact:bob", "click remark", "type_text x"),
    "add": ("click add", "type_text eve"),
    "asked": ("click add", "type_text eve", "click result"),
    "requests": ("click requests",),
    "accept": ("click requests", "click accept"),
    "moments": ("click moments",),
    "comment": ("click moments", "click comment", "type_text x"),
    "publish": ("click moments", "click publish", "type_text x"),
    "delete": ("click moments", "click delete"),
    "forward": ("click moments", "click forward"),
    "pasted": ("paste_text x", "click session:bob"),
    "killed": ("kill",),
    "lost": ("lose",),
}
LATENCIES = dict.fromkeys(
    (
        *("activate", "click", "key", "type_text", "paste_text", "capture", "login_state"),
        *("wait_window", "wait_exit", "find", "kill", "terminate", "start", "run"),
    ),
    0,
)
WORDS = {
    "activate": "wechat",
    "type_text": "x",
    "paste_text": "x",
    "hold": 0,
    "messages": 0,
    "kill": 1000,
    "terminate": 1000,
    "find": "wechat",
    "start": ProcessSpec("wechat", ()),
    "run": ProcessSpec("true", ()),
}
NAMED = {
    "click session": "session:bob",
    "click contact": "contact:bob",
    "run scrot": ProcessSpec("scrot", ("scrot", "-"), resource="display"),
}


async def do(world: SimWorld, command: str) -> None:
    """Do a command as the table writes it, a program to its end; it may fail, as commands do."""
    if command == "lose":
        machine_of(world).wechat.lose_window()
        return
    verb, _, word = command.partition(" ")
    argument: Any = NAMED.get(command, word or WORDS.get(verb))
    ports = world.ports
    port = next(
        each for each in (ports.desktop, ports.processes, ports.records) if hasattr(each, verb)
    )
    arguments = [] if argument is None else [argument]
    if verb in ("wait_exit", "wait_window"):
        arguments = [*([1000] if verb == "wait_exit" else []), 0]
    with suppress(BridgeError):
        done = await getattr(port, verb)(*arguments)
        if isinstance(done, Program):
            await done.output()
            await done.wait()


def heard_of(command: str, state: tuple[str, ...], *, popup: bool) -> dict[str, str]:
    """What a command reads and writes in a state; a write hides a read."""
    requests = [{"at": 0, "from": "ann"}]
    given = {"latencies": LATENCIES, "wechat": {"friend_requests": requests, "autostart": None}}
    world = SimWorld(WorldSpec(given=given))
    modes: dict[str, str] = {}

    def listen(resource: str, mode: str) -> None:
        if modes.get(resource) != "write":
            modes[resource] = mode

    async def main() -> None:
        machine_of(world).screen.clipboard = "copied"
        for step in state:
            await do(world, step)
        if popup:
            machine_of(world).screen.open_popup()
        world.accesses.listener = listen
        await do(world, command)
        world.accesses.listener = None

    assert world.run(main).reason == "finished"
    return modes


@pytest.mark.parametrize("command", COMMAND_ACCESSES)
def test_a_command_touches_what_the_table_says_and_no_more(command: str) -> None:
    together: dict[str, str] = {}
    for state, popup in product(STATES.values(), (False, True)):
        for resource, mode in heard_of(command, state, popup=popup).items():
            if together.get(resource) != "write":
                together[resource] = mode
    assert together == COMMAND_ACCESSES[command]


def test_the_table_has_every_command_of_every_port() -> None:
    verbs = {command.partition(" ")[0] for command in COMMAND_ACCESSES}
    ports = (Desktop, Processes, Records)
    assert verbs == {name for port in ports for name in vars(port) if not name.startswith("_")}
    targets = {command[6:] for command in COMMAND_ACCESSES if command.startswith("click ")}
    assert targets == {*POSITIONS, *PICTURED, "contact"}
    keys = {command[4:] for command in COMMAND_ACCESSES if command.startswith("key ")}
    assert keys | {"KP_Enter"} == {key for row in PRESSES.values() for key in row}


def test_every_part_of_the_world_is_touched_by_some_command() -> None:
    touched = {resource for row in COMMAND_ACCESSES.values() for resource in row}
    parts = {f"display.{name}" for name in Screen.PARTS}
    parts |= {f"records.{name}" for name in Database.PARTS}
    assert touched == parts | {"display", "processes"}
