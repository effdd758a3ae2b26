"""The 22 call sites: what the table says of each is what a bridge does, in every wiring."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from windtunnel.scenario.results import CellResult
from windtunnel.services.bridge.dispatch.call_sites import CALL_SITES, WIRINGS, CallSite

Play = Callable[..., tuple[CellResult, ...]]
Wiring = Any

ARGS = {
    "send_text": "{to: alice, text: hello}",
    "send_file": "{to: alice, file: a.pdf}",
    "revoke": "{to: alice}",
    "forward": "{to: bob}",
    "set_remark": "{to: alice, remark: A}",
    "add_friend": "{to: erin}",
    "publish": "{text: hello}",
    "comment": "{text: nice}",
}
CALLS = {
    "route": "route.{action}",
    "orchestrator": "orchestrator.{action}",
    "friend_watcher": "friend_watcher.poll",
    "watchdog": "watchdog.act",
}


def entry(site: CallSite, id_: str) -> str:
    call = CALLS[site.caller].format(action=site.action)
    args = ARGS.get(site.action, "{}") if site.caller in ("route", "orchestrator") else "{}"
    return f"- {{at: 10s, call: {call}, id: {id_}, args: {args}}}"


@pytest.mark.spec("UI-C1", "UI-C5", "UI-C6")
@pytest.mark.parametrize("wiring", WIRINGS)
@pytest.mark.parametrize("site", CALL_SITES, ids=lambda site: f"{site.caller}-{site.action}")
def test_it_reaches_the_display_as_the_table_says(
    play: Play, wiring: Wiring, site: CallSite
) -> None:
    (result,) = play(
        f"""
        given:
          wiring: {wiring}
          wechat: {{session: alice, friend_requests: [{{at: 0s, from: carol}}]}}
        timeline:
          {entry(site, "it")}
        settle: 1s
        expect:
          - sometimes: {{event: kind:command.ended}}
        """,
        keep_trace=True,
    )
    events = [json.loads(line) for line in result.trace]
    vias = [e["details"]["via"] for e in events if e["kind"] == "action.submitted"]
    drains = [e for e in events if e["kind"] == "drain.ended"]
    way = site.way(wiring)
    if site.caller == "watchdog":
        assert vias == []
        assert bool(drains) == (way == "drain")
    else:
        assert vias == [way]
