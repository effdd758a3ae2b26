"""The bridge's settings as a scenario gives them. Imports `given` and the bridge's settings."""

from __future__ import annotations

from windtunnel import units
from windtunnel.services.bridge.settings import BridgeSettings
from windtunnel.systems.ui.commands import UNCHANGED
from windtunnel.systems.ui.given import Given

OWN_WINDOWS = ("restart", "autofix")
"""Actions whose dead window the bridge opens itself."""


def bridge_settings(given: Given) -> BridgeSettings:
    """Return the settings; what `given` does not say is the documents' figure."""
    restart, autofix = (window_s(given, action) for action in OWN_WINDOWS)
    return BridgeSettings(
        wiring=given.wiring,
        friend_watcher=given.friend_watcher,
        probe=given.probe,
        locked=given.display.lock != "none",
        services=given.background.running,
        drain_s=units.to_seconds(given.watchdog.drain),
        watchdog_window_s=units.to_seconds(given.watchdog.window),
        restart_window_s=restart,
        autofix_window_s=autofix,
        delay_after_ms={
            name: units.to_ms(action.delay_after)
            for name, action in given.actions.items()
            if action.delay_after is not None
        },
    )


def window_s(given: Given, action: str) -> float | None:
    """Return the seconds of the dead window that `given` has an action open; None: it says none."""
    window = given.actions.get(action, UNCHANGED).window
    return None if window is None else units.to_seconds(window)
