"""The system that a scenario names, out of the plug-ins. Imports `builtin`, no system."""

from __future__ import annotations

from typing import Any

from windtunnel import builtin
from windtunnel.errors import PluginError
from windtunnel.kinds import declare
from windtunnel.systems.base import System


def load_system(name: str) -> System:
    """Return the system of that name; a plug-in is a class to be called, or an instance.

    Raises `PluginError` where there is none or it cannot be imported, and where a
    kind of trace event that it brings has a name that is taken.
    """
    plugin: Any = builtin.load_plugin("systems", name)
    system: System = plugin() if isinstance(plugin, type) else plugin
    if not hasattr(system, "parts"):
        raise PluginError(f"the system `{name}` does not say on which `parts` of a world it stands")
    try:
        declare(getattr(system, "kinds", {}))
    except ValueError as error:
        raise PluginError(f"the system `{name}`: {error}") from error
    return system
