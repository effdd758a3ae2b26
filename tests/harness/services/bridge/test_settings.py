"""BridgeSettings: the documents' figures."""

from __future__ import annotations

import pytest

from windtunnel.services.bridge.settings import SERVICES, BridgeSettings


@pytest.mark.spec("UI-W1", "UI-W2", "UI-W3", "UI-C4", "UI-AC4")
def test_the_defaults_are_the_documents_figures() -> None:
    settings = BridgeSettings()
    assert (settings.drain_s, settings.watchdog_window_s) == (5.0, 15.0)
    assert (settings.friend_watcher_s, settings.login_guard_s, settings.watchdog_s) == (3, 5, 10)
    assert (settings.guard_warns_s, settings.capture_timeout_s) == (2.0, 5.0)
    assert settings.flow_bound_s == 30.0
    assert (settings.wiring, settings.friend_watcher, settings.probe) == (
        "after",
        "queued",
        "locked",
    )
    assert settings.locked
    assert settings.services == frozenset()


def test_each_loop_has_a_period() -> None:
    assert all(getattr(BridgeSettings(), f"{name}_s") > 0 for name in SERVICES)
