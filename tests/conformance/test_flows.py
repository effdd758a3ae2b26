"""Every flow of the bridge, in two worlds: the same commands, results and marks left behind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from windtunnel.scenario.selecting.selection import Request, select
from windtunnel.services.bridge.flows.flows import FLOWS
from worlds_kit import WORLDS, Account, assert_same, play_cell

pytestmark = pytest.mark.real

Play = Callable[[dict[str, Any]], Account]

ARGS: dict[str, dict[str, str]] = {
    "send_text": {"to": "bob", "text": "hello 世界"},
    "send_file": {"to": "bob", "file": "报告.pdf"},
    "revoke": {"to": "alice"},
    "forward": {"to": "bob"},
    "set_remark": {"to": "alice", "remark": "Alice, sales"},
    "add_friend": {"to": "dave"},
    "publish": {"text": "Wind: 12 m/s"},
    "comment": {"text": "fine"},
}
WECHAT: dict[str, Any] = {
    "friend_requests": [{"at": "0s", "from": "carol"}],
    "session": "alice",
    "autostart": None,
    "start_up": "0s",
    "missing_window": "100ms",
}
GIVEN = {
    "wechat": WECHAT,
    "latencies": {"wait_exit": "0s"},
    "scheduler": {"send_delay": "0s"},
}


@pytest.fixture
def both(tmp_path: Path) -> Play:
    """Give a function that plays a scenario in both worlds, and asserts that they are alike."""

    def play(scenario: dict[str, Any]) -> Account:
        head = {"format": 1, "name": "probe", "system": "ui", "world": list(WORLDS)}
        whole = {
            **head,
            "policy": "specified",
            "given": GIVEN,
            "expect": [{"count": NOTHING}],
            **scenario,
        }
        file = tmp_path / "probe.yaml"
        file.write_text(yaml.safe_dump(whole, sort_keys=False), encoding="utf-8")
        accounts = []
        for world in WORLDS:
            selection = select(Request(paths=(str(file),), world=world))
            assert not selection.problems, selection.problems
            accounts.append(play_cell(world, selection.cells[0]))
        assert_same(*accounts)
        return accounts[0]

    return play


NOTHING = {"of": "kind:click.missed", "equals": 0}


def submit(action: str, id_: str, **when: Any) -> dict[str, Any]:
    return {**when, "submit": action, "id": id_, "args": ARGS.get(action, {})}


@pytest.mark.parametrize("action", FLOWS)
def test_a_flow_does_the_same(both: Play, action: str) -> None:
    first = submit("send_text", "before", at="0s") | {"args": {"to": "alice", "text": "one"}}
    account = both({"timeline": [first, submit(action, "flow", after="before.settled")]})
    assert account.kinds("click.missed", "text.misplaced") == []
    outcomes = {event[1]: event[5] for event in account.kinds("action.settled")}
    assert outcomes == {"before": "done", "flow": "done"}


def fails(*targets: str, code: str = "TIMEOUT", times: int = 1) -> dict[str, Any]:
    more = {"target": list(targets), "code": code, "times": times}
    return {"at": "0s", "do": "fail", "id": "slip", **more}


def call(name: str, **args: Any) -> dict[str, Any]:
    return {"at": "100ms", "call": name, "id": "flow", "args": args}


FLOW = {"at": "100ms"}
WRONG: dict[str, tuple[dict[str, Any], dict[str, Any], str]] = {
    "a draft is left": (
        {},
        {
            "faults": [fails("click_send")],
            "timeline": [
                submit("send_text", "first", **FLOW) | {"args": {"to": "bob", "text": "one "}},
                submit("send_text", "flow", after="first.settled"),
            ],
        },
        "done",
    ),
    "a query fails": (
        {},
        {"faults": [fails("type_query")], "timeline": [submit("add_friend", "flow", **FLOW)]},
        "failed",
    ),
    "nothing to revoke": ({}, {"timeline": [submit("revoke", "flow", **FLOW)]}, "done"),
    "nobody to accept": (
        {"friend_requests": []},
        {"timeline": [submit("accept_friend", "flow", **FLOW)]},
        "failed",
    ),
    "nobody is logged in": (
        {"state": "logged_out"},
        {"timeline": [submit("send_text", "flow", **FLOW)]},
        "done",
    ),
    "a code instead of a menu": (
        {"state": "qr"},
        {"timeline": [submit("logout", "flow", **FLOW)]},
        "failed",
    ),
    "it does not run": (
        {"running": False},
        {"timeline": [submit("comment", "flow", **FLOW)]},
        "failed",
    ),
    "it is started though it does not run": (
        {"running": False},
        {"timeline": [submit("restart", "flow", **FLOW)]},
        "done",
    ),
    "it does not start": (
        {},
        {
            "faults": [fails("start", code="QUEUE_FULL")],
            "timeline": [submit("restart", "flow", **FLOW)],
        },
        "failed",
    ),
    "it comes back to a code": (
        {"restores_login": False},
        {"timeline": [submit("restart", "flow", **FLOW)]},
        "done",
    ),
    "the capture program hangs": (
        {"state": "qr"},
        {
            "faults": [{"at": "0s", "do": "hang", "target": ["screenshot"], "id": "stuck"}],
            "timeline": [submit("qr_start", "flow", **FLOW)],
        },
        "failed",
    ),
}
CALLS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "a route": ({}, call("route.send_text", to="bob", text="hi")),
    "a route without a log-in": ({"state": "qr"}, call("route.send_text", to="bob", text="hi")),
    "a look at the code": ({"state": "qr"}, call("route.qr_wait")),
    "a status": ({}, call("route.status")),
    "a diagnosis without a window": ({"running": False}, call("route.diagnostic")),
    "a reply": ({}, call("orchestrator.send_file", to="bob", file="报告.pdf")),
    "a batch": (
        {},
        call("batch.run", sends=[{"to": "ann", "text": "a"}, {"to": "bob", "file": "f"}]),
    ),
    "new friends": ({}, call("friend_watcher.poll")),
    "the guard's look": ({"state": "logged_out"}, call("login_guard.look")),
    "the watchdog's look": ({}, call("watchdog.look")),
    "the watchdog's act": ({}, call("watchdog.act")),
    "the streamer's poll": ({}, call("streamer.poll")),
    "the capture": ({"state": "qr"}, call("qr_capture.run")),
}


def with_wechat(wechat: dict[str, Any]) -> dict[str, Any]:
    return {"given": {**GIVEN, "wechat": {**WECHAT, **wechat}}}


@pytest.mark.parametrize("name", WRONG)
def test_a_flow_goes_wrong_alike(both: Play, name: str) -> None:
    wechat, scenario, outcome = WRONG[name]
    account = both({**with_wechat(wechat), **scenario})
    outcomes = {event[1]: event[5] for event in account.kinds("action.settled")}
    assert outcomes["flow"] == outcome


@pytest.mark.parametrize("name", CALLS)
def test_a_call_of_the_bridge_is_the_same(both: Play, name: str) -> None:
    wechat, entry = CALLS[name]
    account = both({**with_wechat(wechat), "timeline": [entry]})
    assert account.kinds("call.ended", "request.answered") != []
