"""The bridge's settings: the documents' figures, but for what `given` says."""

from __future__ import annotations

from typing import Any

import pytest

from windtunnel.services.bridge.settings import BridgeSettings
from windtunnel.systems.ui.bridge_settings import bridge_settings, window_s
from windtunnel.systems.ui.given import Given


def settings(**said: Any) -> BridgeSettings:
    return bridge_settings(Given.model_validate(said))


def test_nothing_said_is_the_documents_bridge() -> None:
    assert settings() == BridgeSettings()


@pytest.mark.parametrize(
    ("said", "field", "value"),
    [
        ({"wiring": "phase1"}, "wiring", "phase1"),
        ({"friend_watcher": "direct"}, "friend_watcher", "direct"),
        ({"probe": "cached"}, "probe", "cached"),
        ({"display": {"lock": "none"}}, "locked", False),
        ({"background": {"streamer": True}}, "services", {"streamer"}),
        ({"watchdog": {"drain": "2500ms"}}, "drain_s", 2.5),
        ({"watchdog": {"window": "1s"}}, "watchdog_window_s", 1.0),
        ({"actions": {"restart": {"window": "0s"}}}, "restart_window_s", 0.0),
        ({"actions": {"autofix": {"window": "2s"}}}, "autofix_window_s", 2.0),
        ({"actions": {"like": {"delay_after": "0s"}}}, "delay_after_ms", {"like": 0.0}),
    ],
)
def test_what_given_says_takes_its_place(said: dict[str, Any], field: str, value: Any) -> None:
    found = settings(**said)
    assert getattr(found, field) == value
    assert getattr(BridgeSettings(), field) != value


def test_the_window_of_an_action_in_seconds() -> None:
    given = Given.model_validate({"actions": {"like": {"window": "1500ms"}, "comment": {}}})
    assert [window_s(given, name) for name in ("like", "comment", "share")] == [1.5, None, None]
