"""A submission: from the entry, else from `given`, else from the table, by the wiring."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.policies.priority import Priority
from windtunnel.services.endpoints import ENDPOINTS
from windtunnel.systems.ui.given import Given
from windtunnel.systems.ui.submission import contact, plan

WIRINGS = ("before", "phase1", "after")


@pytest.mark.spec("UI-C1", "UI-C6", "UI-E1")
@pytest.mark.parametrize("wiring", WIRINGS)
@pytest.mark.parametrize("name", ENDPOINTS)
def test_every_endpoint_in_every_wiring(kit: Any, wiring: str, name: str) -> None:
    endpoint = ENDPOINTS[name]
    planned = plan(kit.submit("x.1", name), Given(wiring=wiring), None)  # type: ignore[arg-type]
    after = wiring == "after"
    assert planned.direct == (not after and endpoint.today == "direct")
    assert planned.via == ("execute" if after else "enqueue")
    assert planned.priority is (endpoint.priority if after else Priority.NORMAL)
    assert planned.window == (endpoint.window_ms * 1_000_000 if after else 0)
    assert planned.delay_ms is None
    assert planned.wait_ms is None
    assert planned.trace_id == "x.1"
    assert planned.delay_wanted(3_000_000_000) == (
        0 if planned.priority is Priority.CRITICAL else 3_000_000_000
    )


def test_the_entry_goes_before_given_and_given_before_the_table(kit: Any) -> None:
    given = Given(actions={"restart": {"delay_after": "2s", "window": "1s"}})  # type: ignore[dict-item]
    plain = plan(kit.submit("a", "restart"), given, None)
    assert (plain.delay_ms, plain.window) == (2000, 1_000_000_000)
    own = plan(
        kit.submit("a", "restart", delay_after="500ms", priority="LOW", wait="1s"), given, None
    )
    assert (own.delay_ms, own.priority, own.wait_ms) == (500, Priority.LOW, 1000)
    assert own.delay_wanted(7) == 500_000_000


def test_a_delay_of_zero_is_a_delay(kit: Any) -> None:
    assert plan(kit.submit("a", delay_after="0s"), Given(), None).delay_ms == 0


@pytest.mark.spec("UI-Q4")
@pytest.mark.parametrize(
    ("name", "previous", "delay"),
    [
        ("send_text", "ann", 1000),
        ("send_text", "bob", None),
        ("send_text", None, None),
        ("send_file", "ann", None),
        ("like", "ann", None),
    ],
)
def test_a_text_to_the_contact_of_the_send_before(
    kit: Any, name: str, previous: str | None, delay: float | None
) -> None:
    assert plan(kit.submit("a", name), Given(), previous).delay_ms == delay


def test_whom_an_operation_is_for(kit: Any) -> None:
    assert contact(kit.submit("a", "send_text")) == "ann"
    assert contact(kit.submit("a", "logout")) is None


def test_the_arguments_have_the_bridges_names(kit: Any) -> None:
    assert plan(kit.submit("a", "logout", wait="30s"), Given(), None).arguments == {
        "priority": Priority.HIGH,
        "delay_ms": None,
        "wait_timeout_ms": 30_000,
        "trace_id": "a",
    }
