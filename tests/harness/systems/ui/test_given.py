"""The vocabulary of UI scenarios: what is refused, and what is so unless said."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from windtunnel.services.endpoints import ENDPOINTS
from windtunnel.systems.ui.given import CALLS, OBSERVABLES, SUBMITS, Given, SubmitOptions
from windtunnel.units import SECOND


@pytest.mark.spec("UI-W2", "UI-W3", "UI-Q4")
def test_the_documents_figures_unless_said() -> None:
    given = Given()
    assert given.wiring == "after"
    assert given.scheduler.model_dump() == {
        "send_delay": 3 * SECOND,
        "max_calls_per_sec": 10,
        "max_queue_size": 100,
        "started": True,
    }
    assert (given.watchdog.drain, given.watchdog.window) == (5 * SECOND, 15 * SECOND)
    assert given.display.lock == "per_command"


@pytest.mark.parametrize(
    ("said", "where"),
    [
        ({"wiring": "between"}, "wiring"),
        ({"schedular": {}}, "schedular"),
        ({"scheduler": {"max_queue_size": 0}}, "scheduler.max_queue_size"),
        ({"scheduler": {"send_delay": 3}}, "scheduler.send_delay"),
        ({"actions": {"send_txt": {}}}, "actions.send_txt.[key]"),
        ({"actions": {"like": {"duration": "1s", "commands": []}}}, "actions.like"),
        ({"actions": {"like": {"commands": [{"a": "1s", "b": "1s"}]}}}, "actions.like"),
        ({"actions": {"like": {"commands": [{"Click!": "1s"}]}}}, "actions.like"),
        ({"display": {"lock": "both"}}, "display.lock"),
    ],
)
def test_what_makes_no_sense_is_refused_where_it_stands(said: dict[str, Any], where: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Given.model_validate(said)
    places = [".".join(map(str, error["loc"])) for error in refused.value.errors()]
    assert all(place.startswith(where) for place in places), places


def test_every_endpoint_can_be_submitted() -> None:
    assert SUBMITS.keys() == ENDPOINTS.keys()
    texts = {name: sorted(model.model_fields) for name, model in SUBMITS.items()}
    assert texts["send_text"] == ["text", "to"]
    assert texts["logout"] == []


def test_the_calls_and_their_defaults() -> None:
    assert CALLS["scheduler.drain"]().timeout == 5 * SECOND  # type: ignore[attr-defined]
    assert CALLS["scheduler.mark_wechat_dead"]().duration == 10 * SECOND  # type: ignore[attr-defined]
    with pytest.raises(ValidationError):
        CALLS["caller.cancel"]()


def test_no_wait_unless_said() -> None:
    assert SubmitOptions().wait is None


@pytest.mark.spec("UI-Q11")
def test_what_can_be_observed_is_what_the_scheduler_counts() -> None:
    from windtunnel.services.ui_scheduler import UIActionScheduler

    assert UIActionScheduler().get_metrics().keys() == OBSERVABLES
