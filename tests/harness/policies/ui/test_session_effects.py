"""The effects on the open session: every action has one, in agreement with its flow."""

from __future__ import annotations

from windtunnel.policies.ui.session_effects import EFFECTS
from windtunnel.services.bridge.dispatch.endpoints import ENDPOINTS
from windtunnel.services.bridge.flows.flows import ARGUMENTS, FLOWS


def test_every_action_has_an_effect() -> None:
    assert EFFECTS.keys() == ENDPOINTS.keys()


def test_only_what_names_its_contact_opens_a_session_for_sure() -> None:
    opens = {name for name, effect in EFFECTS.items() if effect == "opens"}
    assert opens == {"send_text", "send_file", "revoke"}
    assert all("to" in ARGUMENTS[name] for name in opens)


def test_what_keeps_the_session_clicks_and_types_nothing() -> None:
    for name, effect in EFFECTS.items():
        if effect == "keeps":
            assert {step.verb for step in FLOWS[name]} <= {"capture"}
