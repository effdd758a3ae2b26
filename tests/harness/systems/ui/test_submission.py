"""A submission: from the entry, else from `given`, else from the table, by the wiring."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.policies.ui.priority import Priority
from windtunnel.services.bridge.dispatch.endpoints import ENDPOINTS
from windtunnel.systems.ui.given import Given, SubmitOptions
from windtunnel.systems.ui.submission import plan, submissions

WIRINGS = ("before", "phase1", "after")


def options(**said: Any) -> SubmitOptions:
    return SubmitOptions.model_validate(said)


@pytest.mark.spec("UI-C1", "UI-C6", "UI-E1")
@pytest.mark.parametrize("wiring", WIRINGS)
@pytest.mark.parametrize("name", ENDPOINTS)
def test_every_endpoint_in_every_wiring(wiring: Any, name: str) -> None:
    endpoint = ENDPOINTS[name]
    planned = plan(name, Given(wiring=wiring))
    after = wiring == "after"
    assert (planned.via == "direct") == (not after and endpoint.today == "direct")
    assert (planned.via == "execute") == after
    assert planned.priority is (endpoint.priority if after else Priority.NORMAL)
    assert planned.window == (endpoint.window_ms * 1_000_000 if after else 0)
    assert planned.delay_ms is None
    assert planned.wait_ms is None
    assert planned.delay_wanted(3_000_000_000) == (
        0 if planned.priority is Priority.CRITICAL else 3_000_000_000
    )


def test_the_entry_goes_before_given_and_given_before_the_table() -> None:
    given = Given.model_validate({"actions": {"restart": {"delay_after": "2s", "window": "1s"}}})
    plain = plan("restart", given)
    assert (plain.delay_ms, plain.window) == (2000, 1_000_000_000)
    own = plan("restart", given, options(delay_after="500ms", priority="LOW", wait="1s"))
    assert (own.delay_ms, own.priority, own.wait_ms) == (500, Priority.LOW, 1000)
    assert own.delay_wanted(7) == 500_000_000


def test_a_delay_of_zero_is_a_delay() -> None:
    assert plan("send_text", Given(), options(delay_after="0s")).delay_ms == 0


def one(kit: Any, name: str, given: Given | None = None, **args: Any) -> list[tuple[Any, ...]]:
    operation = kit.call("c", name, **args)
    found = submissions(operation, given or Given())
    return [(one.via, one.priority.name, one.wait_ms) for one in found]


def test_what_a_submit_submits(kit: Any) -> None:
    (planned,) = submissions(kit.submit("a", "logout", wait="30s"), Given())
    assert planned == plan("logout", Given(), options(wait="30s"))


@pytest.mark.spec("UI-E1")
def test_what_a_call_submits_is_bounded_by_the_table(kit: Any) -> None:
    assert one(kit, "route.like") == [("execute", "LOW", 15_000)]
    assert one(kit, "orchestrator.send_file") == [("execute", "NORMAL", 15_000)]
    sends = [{"to": "ann", "text": "x"}, {"to": "bob", "text": "y"}]
    assert one(kit, "batch.run", sends=sends) == [("execute", "NORMAL", 15_000)]
    both = [*sends, {"to": "ann", "file": "z"}]
    assert one(kit, "batch.run", sends=both) == [("execute", "NORMAL", 15_000)] * 2


@pytest.mark.parametrize("name", ["route.status", "route.qr_wait", "watchdog.act", "bridge.stop"])
def test_what_submits_nothing(kit: Any, name: str) -> None:
    assert one(kit, name) == []


@pytest.mark.spec("UI-C7")
@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({}, ("execute", "HIGH")),
        ({"wiring": "phase1"}, ("enqueue", "NORMAL")),
        ({"friend_watcher": "direct"}, ("direct", "HIGH")),
    ],
)
def test_what_the_friend_watcher_submits(
    kit: Any, said: dict[str, Any], expected: tuple[str, str]
) -> None:
    ((via, priority, _),) = one(kit, "friend_watcher.poll", Given.model_validate(said))
    assert (via, priority) == expected
