"""The targets that can be clicked: those of the flows. Imports the table of flows."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import AfterValidator, WithJsonSchema

from windtunnel.services.bridge.flows.flows import FLOWS
from windtunnel.systems.ui.known import known

_CLICKED: Final = dict.fromkeys(
    str(step.argument) for flow in FLOWS.values() for step in flow if step.verb == "click"
)
TARGETS: Final = tuple(target for target in _CLICKED if "{" not in target)
"""Such as `search` or `confirm`."""
PREFIXES: Final = tuple(target.partition("{")[0] for target in _CLICKED if "{" in target)
"""Such as `session:`, which takes a contact's name."""


def known_target(name: str) -> str:
    """Return the target; raises `ValueError` with the close one for what nothing is called."""
    if any(name.startswith(prefix) and name != prefix for prefix in PREFIXES):
        return name
    named = tuple(f"{prefix}NAME" for prefix in PREFIXES)
    return known(name, (*TARGETS, *named), "there is nothing to click called")


KnownTarget = Annotated[
    str,
    AfterValidator(known_target),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "enum": sorted(TARGETS)},
                {"type": "string", "pattern": f"^({'|'.join(PREFIXES)})."},
            ]
        }
    ),
]
"""What is clicked: `menu`, `session:bob`."""
