"""Windtunnel: a simulation and test harness for UI schedulers and task routers.

The public names are loaded when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from windtunnel.errors import BridgeError as BridgeError
    from windtunnel.errors import Code as Code
    from windtunnel.errors import ScenarioError as ScenarioError
    from windtunnel.errors import WindtunnelError as WindtunnelError
    from windtunnel.policies.ui.priority import Priority as Priority
    from windtunnel.services.bridge.scheduler.send_queue import SendQueue as SendQueue
    from windtunnel.services.bridge.scheduler.ui_scheduler import (
        UIActionScheduler as UIActionScheduler,
    )
    from windtunnel.trace import Event as Event
    from windtunnel.trace import Trace as Trace

__version__ = "0.1.0"

_HOME = {
    "BridgeError": "windtunnel.errors",
    "Code": "windtunnel.errors",
    "Event": "windtunnel.trace",
    "Priority": "windtunnel.policies.ui.priority",
    "ScenarioError": "windtunnel.errors",
    "SendQueue": "windtunnel.services.bridge.scheduler.send_queue",
    "Trace": "windtunnel.trace",
    "UIActionScheduler": "windtunnel.services.bridge.scheduler.ui_scheduler",
    "WindtunnelError": "windtunnel.errors",
}

__all__ = sorted([*_HOME, "__version__"])  # noqa: PLE0605 - derived, so that it cannot go stale


def __getattr__(name: str) -> Any:  # noqa: ANN401 - whatever that name is
    """Import a public name from its home at first use."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names."""
    return list(__all__)
