"""The plug-in `router`: the vocabulary of its scenarios, and how it is made."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from pydantic import BaseModel

from windtunnel.systems.base import Setup
from windtunnel.systems.router.calls import CALLS
from windtunnel.systems.router.faults import FAULTS
from windtunnel.systems.router.given import Given
from windtunnel.systems.router.mistakes import Where, mistakes
from windtunnel.systems.router.observables import OBSERVABLES, PARTS
from windtunnel.systems.router.policy import POLICIES, Policy
from windtunnel.systems.router.submits import SUBMITS, SubmitOptions
from windtunnel.systems.router.under_test import RouterUnderTest


class RouterSystem:
    """A task-queue backend and a message dispatcher: tasks go inside first (system 2)."""

    name: str = "router"
    parts: tuple[str, ...] = ("cluster",)
    given: type[BaseModel] = Given
    submit_options: type[BaseModel] = SubmitOptions
    submits: Mapping[str, type[BaseModel]] = SUBMITS
    calls: Mapping[str, type[BaseModel]] = CALLS
    faults: Mapping[str, type[BaseModel]] = FAULTS
    policy_options: type[BaseModel] = Policy
    policies: Mapping[str, Mapping[str, Any]] = POLICIES
    observables: frozenset[str] = OBSERVABLES
    observable_parts: Mapping[str, tuple[frozenset[str] | None, ...]] = PARTS
    default_checks: Mapping[str, Mapping[str, Any]] = MappingProxyType(
        {"balance": {}, "calls": {}, "conservation": {"accepted_once": True}, "no_crash": {}}
    )
    """A task may be begun again after a loss; its result is accepted once all the same."""

    def args_optional(self, given: Given, name: str) -> bool:
        """Every argument of a task has a default."""
        del given, name
        return True

    def commands(self, given: Given, name: str) -> tuple[str, ...]:
        """Return none: a task is no flow of commands."""
        del given, name
        return ()

    def mistakes(self, given: Given, said: BaseModel) -> Iterator[tuple[Where, str]]:
        """Iterate over what cannot be in this cluster."""
        return mistakes(given, said)

    def build(self, setup: Setup) -> RouterUnderTest:
        """Make the system; raises `PluginError` or `RequirementError`."""
        return RouterUnderTest(setup)
