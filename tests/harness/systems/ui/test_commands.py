"""The commands of an operation: the documents' flow, or what `given` puts in its place."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.services.bridge.dispatch.endpoints import ENDPOINTS
from windtunnel.services.bridge.flows.flows import FLOWS
from windtunnel.systems.ui.calls import CALLS
from windtunnel.systems.ui.commands import commands_of
from windtunnel.systems.ui.given import Given
from windtunnel.systems.ui.submits import SUBMITS


def given(**action: Any) -> Given:
    return Given.model_validate({"actions": {"send_text": action}})


def names(action: str) -> tuple[str, ...]:
    return tuple(step.name for step in FLOWS[action])


@pytest.mark.spec("UI-F1")
@pytest.mark.parametrize("action", ENDPOINTS)
def test_the_documents_flow_unless_given(action: str) -> None:
    assert commands_of(Given(), action) == names(action) != ()
    assert commands_of(given(delay_after="1s", raises="TIMEOUT"), action) == names(action)


def test_a_flow_of_its_own_keeps_order_and_repeats() -> None:
    own = given(commands=[{"b": "2ms"}, {"a": "1ms"}, {"b": "3ms"}])
    assert commands_of(own, "send_text") == ("b", "a", "b")
    assert commands_of(own, "orchestrator.send_text") == ("login_state", "b", "a", "b")
    assert commands_of(own, "send_file") == names("send_file")


@pytest.mark.parametrize("own", [given(duration="1s"), given(commands=[])])
def test_one_sleep_is_no_command(own: Given) -> None:
    assert commands_of(own, "send_text") == ()
    assert commands_of(own, "route.send_text") == ("login_state",)


@pytest.mark.spec("UI-C3")
@pytest.mark.parametrize(
    ("probe", "looks"),
    [("locked", ("login_state",)), ("lookup", ("find",)), ("cached", ("login_state",))],
)
def test_a_route_looks_before_it_acts(probe: Any, looks: tuple[str, ...]) -> None:
    own = Given(probe=probe)
    assert commands_of(own, "route.logout") == (*looks, *names("logout"))
    assert commands_of(own, "orchestrator.send_file") == (*looks, *names("send_file"))
    assert commands_of(own, "route.restart") == names("restart")  # it does not ask who is logged in


@pytest.mark.parametrize(
    ("call", "commands"),
    [
        ("route.qr_wait", ("login_state",)),
        ("route.status", ("find",)),
        ("login_guard.look", ("login_state",)),
        ("watchdog.act", ("find", "terminate")),
        ("friend_watcher.poll", names("accept_friend")),
        ("batch.run", ()),  # each send is an operation of its own
        ("scheduler.drain", ()),
        ("bridge.stop", ()),
    ],
)
def test_of_a_call(call: str, commands: tuple[str, ...]) -> None:
    assert commands_of(Given(), call) == commands


@pytest.mark.parametrize("name", [*SUBMITS, *CALLS])
def test_whatever_can_be_said_has_an_answer(name: str) -> None:
    assert isinstance(commands_of(Given(), name), tuple)
