"""The commands of an action: the documents' flow, or what `given` puts in its place."""

from __future__ import annotations

from windtunnel.services.flows import Command, flow
from windtunnel.systems.ui.commands import commands_of
from windtunnel.systems.ui.given import Given


def given(**action: object) -> Given:
    return Given.model_validate({"actions": {"send_text": action}})


def test_the_documents_flow_unless_given() -> None:
    assert commands_of(Given(), "send_text") == flow("send_text")
    assert commands_of(given(delay_after="1s"), "send_text") == flow("send_text")
    assert commands_of(given(duration="1s"), "logout") == flow("logout")


def test_a_flow_of_its_own_keeps_order_and_repeats() -> None:
    own = given(commands=[{"b": "2ms"}, {"a": "1ms"}, {"b": "3ms"}])
    assert commands_of(own, "send_text") == (
        *(Command("b", 2_000_000), Command("a", 1_000_000), Command("b", 3_000_000)),
    )


def test_one_sleep_is_no_command() -> None:
    assert commands_of(given(duration="1s"), "send_text") == ()


def test_a_flow_without_commands_has_none() -> None:
    assert commands_of(given(commands=[]), "send_text") == ()
