"""The plug-ins of every run from this checkout: our own, and pytest's for testing it.

Ours is named here so that the settings it reads are known where Windtunnel is not installed; where
it is, it is the same one.
"""

from __future__ import annotations

pytest_plugins = ["pytester", "windtunnel.pytest_plugin"]
