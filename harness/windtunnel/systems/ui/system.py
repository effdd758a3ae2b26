"""The plug-in `ui`: the vocabulary of its scenarios, and how its scheduler is made."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from pydantic import BaseModel

from windtunnel import units
from windtunnel.builtin import load_object
from windtunnel.policies.ui.ui_options import UIOptions
from windtunnel.services.bridge.scheduler.send_queue import SendQueue
from windtunnel.services.bridge.scheduler.ui_scheduler import UIActionScheduler
from windtunnel.systems.base import Setup
from windtunnel.systems.ui.bridge import BridgeUnderTest
from windtunnel.systems.ui.calls import BATCHES, BRINGS, CALLS
from windtunnel.systems.ui.commands import commands_of
from windtunnel.systems.ui.faults import FAULTS
from windtunnel.systems.ui.given import Given, Policy, SubmitOptions
from windtunnel.systems.ui.observables import OBSERVABLES
from windtunnel.systems.ui.plug import PluggedScheduler
from windtunnel.systems.ui.submits import SUBMITS

POLICIES: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType({"specified": {}})


class UISystem:
    """A whole bridge around its UI action scheduler: routes, services, background loops."""

    name: str = "ui"
    parts: tuple[str, ...] = ("desktop",)
    given: type[BaseModel] = Given
    submit_options: type[BaseModel] = SubmitOptions
    submits: Mapping[str, type[BaseModel]] = SUBMITS
    calls: Mapping[str, type[BaseModel]] = CALLS
    batches: frozenset[str] = BATCHES
    brings: Mapping[str, frozenset[str]] = BRINGS
    faults: Mapping[str, type[BaseModel]] = FAULTS
    policy_options: type[BaseModel] = Policy
    policies: Mapping[str, Mapping[str, Any]] = POLICIES
    observables: frozenset[str] = OBSERVABLES
    default_checks: Mapping[str, Mapping[str, Any]] = MappingProxyType(
        {"mutual_exclusion": {"resource": "display"}, "calls": {}}
    )

    def args_optional(self, given: Given, name: str) -> bool:
        """Args may be left out where a sleep or held commands stand for the whole flow."""
        action = given.actions.get(name.rpartition(".")[2])
        return action is not None and (action.duration is not None or action.commands is not None)

    def commands(self, given: Given, name: str) -> tuple[str, ...]:
        """Return the names of the commands that a submission or a call runs, in order."""
        return commands_of(given, name)

    def background(self, given: Given) -> frozenset[str]:
        """Return what the loops that run by themselves bring about: their own ids, and classes."""
        running = given.background.running
        return running | {"accept_friend"} if "friend_watcher" in running else running

    def build(self, setup: Setup) -> BridgeUnderTest:
        """Make scheduler, boundary and services; raises `PluginError` or `RequirementError`."""
        return BridgeUnderTest(setup, _plug(setup))


def _plug(setup: Setup) -> PluggedScheduler:
    figures = setup.given.scheduler
    settings: dict[str, Any] = {
        "send_delay_ms": int(send_delay)
        if (send_delay := units.to_ms(figures.send_delay)).is_integer()
        else send_delay,
        "max_calls_per_sec": figures.max_calls_per_sec,
        "max_queue_size": figures.max_queue_size,
    }
    if setup.scheduler is not None:
        return PluggedScheduler(load_object(setup.scheduler), settings)
    if setup.given.wiring == "before":
        return PluggedScheduler(SendQueue, settings)
    options = UIOptions(**setup.policy.model_dump())
    return PluggedScheduler(UIActionScheduler, {**settings, "options": options})
