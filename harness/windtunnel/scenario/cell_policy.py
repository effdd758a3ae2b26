"""The policy of a cell: a named set of the system's options, or options laid over one.

Imports `typing_memo` and the systems' contract.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from windtunnel.scenario.messages import show
from windtunnel.scenario.suggestions import did_you_mean
from windtunnel.scenario.typing_memo import Typed, validated
from windtunnel.scenario.yaml_nodes import Fault, Node
from windtunnel.systems.base import System

DEFAULT: Final = "specified"
"""The product's default set, where the system has it; else the system's first."""
BASE: Final = "base"


@dataclass(frozen=True, slots=True)
class Policy:
    """The name of a set, and the options that it and the file come to."""

    name: str
    options: Any
    """An instance of the system's `policy_options`."""


def type_policy(data: Any, node: Node, system: System, override: str | None) -> Typed[Policy]:  # noqa: ANN401 - plain data
    """Return the policy of `policy:` data: null, a name, or `{base: name, option: value…}`.

    `override` takes the place of the name and leaves the options.
    """
    over = dict(data) if isinstance(data, dict) else {}
    named = over.pop(BASE, None) if isinstance(data, dict) else data
    place = node.child(BASE) or node
    name = default(system) if named is None else named
    name = name if override is None else override
    if not isinstance(name, str):
        message = f"a policy is the name of a set, or `{{base: name, …}}`, not {show(name)}"
        return Typed(None, (Fault(*place.place(), message),))
    if name not in system.policies:
        hint = did_you_mean(name, system.policies)
        message = f"`{system.name}` has no policy `{name[:40]}`{hint}"
        return Typed(None, (Fault(*place.place(), message),))
    options = {**system.policies[name], **over}
    typed = validated(system.policy_options, options, node, known=(BASE,))
    return Typed(None, typed.faults) if typed.value is None else Typed(Policy(name, typed.value))


def default(system: System) -> str:
    """Return the name of the set that a file means which names none."""
    return DEFAULT if DEFAULT in system.policies else next(iter(system.policies), DEFAULT)
