"""The vocabulary of UI scenarios: what is refused, and what is so unless said."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from windtunnel.systems.ui.given import BackgroundGiven, Given, SubmitOptions
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
    assert (given.friend_watcher, given.probe) == ("queued", "locked")


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
        ({"wechat": {"state": "asleep"}}, "wechat.state"),
        ({"latencies": {"clik": "1s"}}, "latencies.clik"),
        ({"latencies": {"click": 1}}, "latencies.click"),
        ({"background": {"watchdg": True}}, "background.watchdg"),
        ({"friend_watcher": "beside"}, "friend_watcher"),
        ({"probe": "guess"}, "probe"),
    ],
)
def test_what_makes_no_sense_is_refused_where_it_stands(said: dict[str, Any], where: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Given.model_validate(said)
    places = [".".join(map(str, error["loc"])) for error in refused.value.errors()]
    assert all(place.startswith(where) for place in places), places


def test_no_wait_unless_said() -> None:
    assert SubmitOptions().wait is None


def test_no_loop_runs_by_itself_unless_said() -> None:
    assert Given().background.running == frozenset()
    assert BackgroundGiven(watchdog=True, streamer=True).running == {"watchdog", "streamer"}


def test_the_world_gets_plain_data_in_nanoseconds() -> None:
    said = {"latencies": {"click": "2s", "login_state": {"min": "1s", "max": "2s"}}}
    data = Given.model_validate(said).model_dump()
    assert data["latencies"] == {
        "click": 2 * SECOND,
        "login_state": {"min": SECOND, "max": 2 * SECOND},
    }
    assert data["wechat"]["autostart"] == "profile"
