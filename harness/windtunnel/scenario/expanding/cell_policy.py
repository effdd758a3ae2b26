"""The policy of a cell: a named set of the system's options, or options laid over one.

Imports `typing_memo` and the systems' contract.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from windtunnel.scenario.reading.typing_memo import Typed, validated
from windtunnel.scenario.source.messages import show
from windtunnel.scenario.source.suggestions import did_you_mean
from windtunnel.scenario.source.yaml_nodes import Fault, Node
from windtunnel.scenario.source.yaml_scalars import Scalar
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


def type_policy(
    data: Any,  # noqa: ANN401 - plain data
    *,
    node: Node,
    system: System,
    said: Scalar,
    place: Node | None,
) -> Typed[Policy]:
    """Return the policy of `policy:` data: null, a name, or `{base: name, option: value…}`.

    What an axis or the command line `said` takes the place of the name and leaves the options;
    `place` is where the axis says so.
    """
    over = dict(data) if isinstance(data, dict) else {}
    named = over.pop(BASE, None) if isinstance(data, dict) else data
    named = default(system) if named is None else named
    name = named if said is None else said
    where = (place or node.child(BASE) or node).place()
    if not isinstance(name, str):
        message = f"a policy is the name of a set, or `{{base: name, …}}`, not {show(name)}"
        return Typed(None, (Fault(*where, message),))
    if name not in system.policies:
        hint = did_you_mean(name, system.policies)
        message = f"`{system.name}` has no policy `{name[:40]}`{hint}"
        return Typed(None, (Fault(*where, message),))
    options = {**system.policies[name], **over}
    typed = validated(system.policy_options, options, node, known=(BASE,))
    return Typed(None, typed.faults) if typed.value is None else Typed(Policy(name, typed.value))


def default(system: System) -> str:
    """Return the name of the set that a file means which names none."""
    return DEFAULT if DEFAULT in system.policies else next(iter(system.policies), DEFAULT)
