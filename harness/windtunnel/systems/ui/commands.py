"""The commands that an operation runs: the documents' flow, or what `given` puts in its place.

Imports the tables of flows and endpoints, and `given`.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from windtunnel.services.bridge.dispatch.endpoints import ENDPOINTS
from windtunnel.services.bridge.flows.flows import FLOWS
from windtunnel.systems.ui.given import ActionGiven, Given

UNCHANGED: Final = ActionGiven()
LOOK: Final = "login_state"
"""The look at the log-in state."""
FIND: Final = "find"
"""The look for the process."""
PROBES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {"locked": (LOOK,), "lookup": (FIND,), "cached": (LOOK,)}
)
"""`given.probe` → what a caller runs before it submits (UI-C3); cached: until the guard looked."""
SERVICES: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "route.qr_wait": (LOOK,),
        "route.status": (FIND,),
        "route.diagnostic": (FIND, LOOK),
        "login_guard.look": (LOOK,),
        "watchdog.look": (FIND,),
        "watchdog.act": (FIND, "terminate"),
        "qr_capture.run": ("run",),
    }
)
"""Call that submits nothing → its commands."""
SUBMITTED: Final[Mapping[str, str]] = MappingProxyType({"friend_watcher.poll": "accept_friend"})
"""Call that submits an action under its own id → the action; `batch.run` gives each send an id."""


def commands_of(given: Given, name: str) -> tuple[str, ...]:
    """Return the names of the commands that a submission or a call runs, in order, with repeats.

    All that it can run: of `autofix`, of a probe that may look or not.
    """
    if name in SERVICES:
        return SERVICES[name]
    caller, _, action = name.rpartition(".")
    if name in SUBMITTED:
        return _of_action(given, SUBMITTED[name])
    if caller not in ("", "route", "orchestrator") or action not in ENDPOINTS:
        return ()
    probe = PROBES[given.probe] if caller and ENDPOINTS[action].probe else ()
    return (*probe, *_of_action(given, action))


def _of_action(given: Given, action: str) -> tuple[str, ...]:
    own = given.actions.get(action, UNCHANGED)
    if own.duration is not None:
        return ()
    if own.commands is not None:
        return tuple(name for step in own.commands for name in step)
    return tuple(step.name for step in FLOWS[action])
