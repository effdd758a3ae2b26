"""How a cell is set up: its policy and its run, and what the command line says in their place.

Imports the format's models, `validation` and the systems' contract.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from windtunnel.scenario.reading.models import Run, TieRule
from windtunnel.scenario.source.messages import show
from windtunnel.scenario.source.suggestions import did_you_mean
from windtunnel.scenario.source.validation import Typed, validated
from windtunnel.scenario.source.yaml_nodes import Node
from windtunnel.scenario.source.yaml_scalars import Scalar
from windtunnel.systems.base import System
from windtunnel.world import Ties

DEFAULT: Final = "specified"
"""The product's default set, where the system has it; else the system's first."""
BASE: Final = "base"
"""The option of `policy` that names the set which the others are laid over."""


@dataclass(frozen=True, slots=True)
class Overrides:
    """What the command line says in the file's place; None leaves the file's word."""

    world: str | None = None
    policy: str | None = None
    scheduler: str | None = None
    seed: int | None = None
    allow_code: bool = False
    """Whether a class that the file names may be loaded; one of the command line may."""

    def axes(self) -> dict[str, Scalar]:
        """Return the fields that may be axes, with what is said for them."""
        return {"policy": self.policy, "scheduler": self.scheduler, "seed": self.seed}


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
    named = default_policy(system) if named is None else named
    name = named if said is None else said
    where = place or node.child(BASE) or node
    if not isinstance(name, str):
        message = f"a policy is the name of a set, or `{{base: name, …}}`, not {show(name)}"
        return Typed(None, (where.fault(message),))
    if name not in system.policies:
        hint = did_you_mean(name, system.policies)
        message = f"`{system.name}` has no policy `{name[:40]}`{hint}"
        return Typed(None, (where.fault(message),))
    options = {**system.policies[name], **over}
    typed = validated(system.policy_options, options, node, known=(BASE,))
    return Typed(None, typed.faults) if typed.value is None else Typed(Policy(name, typed.value))


def default_policy(system: System) -> str:
    """Return the name of the set that a file means which names none."""
    return DEFAULT if DEFAULT in system.policies else next(iter(system.policies), DEFAULT)


def type_run(data: dict[str, Any], node: Node, *, may_load: bool) -> Typed[Run]:
    """Return the fields of `Run`, or what is wrong with them.

    A foreign class (`scheduler: module:Class`) is refused unless it `may_load`: to import it is to
    run its code, which is for the command line to allow and not for a file.
    """
    typed = validated(Run, data, node)
    if typed.value is None or typed.value.scheduler is None or may_load:
        return typed
    said = f"the scheduler {typed.value.scheduler} is code; --allow-code lets a file load it"
    return Typed(None, ((node.child("scheduler") or node).fault(said),))


def is_one_order(rule: TieRule) -> bool:
    """Tell whether a rule says one order; a seed draws any."""
    return rule.order != "seeded" or bool(rule.choices)


def type_ties(run: Run) -> Ties:
    """Return the rule for ties; a seeded one without a seed of its own has the cell's."""
    rule = run.ties
    return Ties(rule.order, run.seed if rule.seed is None else rule.seed, tuple(rule.choices))
