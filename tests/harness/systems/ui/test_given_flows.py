"""The flows that `given` puts in: sleeps without a command, holds under names of their own."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.trace import Event

FLOW = [{"activate": "50ms"}, {"look_twice": "1s"}]


def played(kit: Any, action: dict[str, Any], **said: Any) -> list[Event]:
    async def main(system: Any) -> None:
        await system.submit(kit.submit("a"))

    events = kit.bench({"actions": {"send_text": action}, **said}).play(main)
    return [event for event in events if event.op == "a"]


def test_one_sleep_is_as_long_and_touches_nothing(kit: Any) -> None:
    events = played(kit, {"duration": "1234ms"})
    assert not [event for event in events if event.kind.startswith("command.")]
    assert events[-1].time == 1_234_000_000


def test_held_commands_have_their_names_and_times(kit: Any) -> None:
    events = played(kit, {"commands": FLOW})
    told = [
        (event.kind, event.time, event.details["command"], event.details["step"])
        for event in events
        if event.kind.startswith("command.")
    ]
    assert told == [
        ("command.started", 0, "activate", 0),
        ("command.ended", 50_000_000, "activate", 0),
        ("command.started", 50_000_000, "look_twice", 1),
        ("command.ended", 1_050_000_000, "look_twice", 1),
    ]


@pytest.mark.parametrize("lock", ["per_command", "none"])
def test_each_is_held_under_the_ui_lock(kit: Any, lock: str) -> None:
    async def main(system: Any) -> None:
        first = system.submit(kit.submit("a"))
        await system.submit(kit.submit("b", "screenshot"))
        await first

    given = {
        "wiring": "before",
        "display": {"lock": lock},
        "actions": {"send_text": {"commands": FLOW}, "screenshot": {"commands": FLOW}},
    }
    events = kit.bench(given).play(main)
    first = {e.op: e.time for e in reversed(events) if e.kind == "command.started"}
    assert sorted((first["a"], first["b"])) == [0, 0 if lock == "none" else 50_000_000]


def test_what_is_asked_at_the_gate_is_the_command_by_its_name(kit: Any) -> None:
    asked: list[tuple[str, str]] = []

    async def gate(who: Any) -> None:
        asked.append((who.op, who.command))

    async def main(system: Any) -> None:
        await system.submit(kit.submit("a"))

    kit.bench({"actions": {"send_text": {"commands": FLOW}}}, gate=gate).play(main)
    assert asked == [("a", "activate"), ("a", "look_twice")]
