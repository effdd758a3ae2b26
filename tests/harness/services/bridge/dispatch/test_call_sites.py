"""The call sites, against the documents' counts."""

from __future__ import annotations

from collections import Counter

import pytest

from windtunnel.services.bridge.dispatch.call_sites import CALL_SITES, PROBES, WIRINGS
from windtunnel.services.bridge.dispatch.endpoints import ENDPOINTS
from windtunnel.services.bridge.flows.flows import FLOWS

SENDS = {"send_text", "send_file", "revoke", "forward"}
CONTACTS = {"set_remark", "add_friend", "accept_friend"}


@pytest.mark.spec("UI-C1", "UI-C5")
def test_there_are_22_and_16_of_them_were_queued() -> None:
    assert len(CALL_SITES) == 22
    assert Counter(site.before for site in CALL_SITES) == {"queued": 16, "direct": 6}
    queued = [site for site in CALL_SITES if site.before == "queued"]
    assert Counter(site.caller for site in queued) == {
        "route": 13,
        "friend_watcher": 1,
        "orchestrator": 2,
    }


@pytest.mark.spec("UI-C1", "UI-C6")
def test_the_queued_are_enqueued_until_after_and_the_direct_stay_direct() -> None:
    for site in CALL_SITES:
        first, second, third = (site.way(wiring) for wiring in WIRINGS)
        assert first == second == ("enqueue" if site.before == "queued" else "direct")
        assert third == ("drain" if site.caller == "watchdog" else "execute")


@pytest.mark.spec("UI-C1")
def test_three_take_no_lock_before_and_their_commands_are_commands_of_their_flow() -> None:
    bare = {site.action: site.unlocked for site in CALL_SITES if site.unlocked}
    assert bare.keys() == {"screenshot", "qr_start", "autofix"}
    assert all(names <= {step.name for step in FLOWS[action]} for action, names in bare.items())
    assert "activate" not in bare["qr_start"]


def test_every_route_is_a_site_and_every_site_an_action() -> None:
    routes = {site.action for site in CALL_SITES if site.caller == "route"}
    assert routes == set(ENDPOINTS)
    assert {site.action for site in CALL_SITES} - set(ENDPOINTS) == {"kill"}


@pytest.mark.spec("UI-C2", "UI-C3")
def test_the_probes_are_sends_6_moments_6_contacts_3_logout_qr_wait_diagnostic() -> None:
    actions = Counter(action for _, action in PROBES)
    assert sum(actions[name] for name in SENDS) == 6
    assert sum(actions[name] for name in CONTACTS) == 3
    assert actions["logout"] == actions["qr_wait"] == actions["diagnostic"] == 1
    moments = set(ENDPOINTS) - SENDS - CONTACTS - {"screenshot", "qr_start"}
    moments -= {"logout", "restart", "autofix"}
    assert sum(actions[name] for name in moments) == len(moments) == 6
    assert sum(actions.values()) == 18
