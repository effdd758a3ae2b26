"""The interleaving failure in two worlds: `before` goes wrong, `after` never does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from windtunnel.scenario.selecting.selection import Request, select
from worlds_kit import WORLDS, Account, WorldName, play_cell

pytestmark = pytest.mark.real

TRIALS = 2
HEAD = {
    "format": 1,
    "name": "probe",
    "system": "ui",
    "policy": "specified",
    "world": [*WORLDS],
    "expect": [{"count": {"of": "kind:call.ended", "equals": 0}}],
}
SEND = {"at": "0s", "submit": "send_text", "id": "send", "args": {"to": "alice", "text": "hi"}}
BYE = {"after": "send.click_search", "submit": "logout", "id": "bye"}
INSIDE = {  # the two commands of the log-out that the send's next one waits for
    "before": {"order": [["bye.click_menu", "send.type_query.begin"]]},
    "after": {},
}


@pytest.mark.spec("UI-C1", "UI-L2")
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("wiring", ["before", "after"])
def test_a_send_beside_a_log_out(tmp_path: Path, world: WorldName, wiring: str) -> None:
    for _ in range(TRIALS):
        account = play(tmp_path, world, wiring, **INSIDE[wiring])
        assert wrong(account) == (wiring == "before"), account.trace
        if wiring == "before":
            assert misplaced(account)[0] == ("send", "menu", "alice")
            assert ("alice", "hi") not in delivered(account)
            assert ended(account)["bye"] == "failed"
        else:
            assert ended(account) == {"send": "done", "bye": "done"}
            assert delivered(account) == [("alice", "hi")]
            assert commands(account) == sorted(commands(account), key=["send", "bye"].index)


def play(folder: Path, world: WorldName, wiring: str, **more: Any) -> Account:
    given = {"wiring": wiring, "wechat": {"autostart": None}, "scheduler": {"send_delay": "0s"}}
    file = folder / "probe.yaml"
    whole = {**HEAD, "given": given, "timeline": [SEND, BYE], **more}
    file.write_text(yaml.safe_dump(whole), encoding="utf-8")
    selection = select(Request(paths=(str(file),), world=world))
    assert not selection.problems, selection.problems
    return play_cell(world, selection.cells[0])


def wrong(account: Account) -> bool:
    return delivered(account) != [("alice", "hi")] or set(ended(account).values()) != {"done"}


def delivered(account: Account) -> list[tuple[str, str]]:
    events = account.kinds("message.delivered")
    return [(event[4], event[6]["text"]) for event in events]


def misplaced(account: Account) -> list[tuple[str, str, str]]:
    events = account.kinds("text.misplaced")
    return [(event[1], event[4], event[6]["text"]) for event in events]


def ended(account: Account) -> dict[str, str]:
    return {event[1]: event[5] for event in account.kinds("action.settled")}


def commands(account: Account) -> list[str]:
    return [event[1] for event in account.kinds("command.started") if event[1] in ("send", "bye")]
