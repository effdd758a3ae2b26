"""The policy: the options of the router's policies as a scenario writes them, and their sets.

The model is made of `RouterOptions`, so that each option is written in one place. Imports these.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from types import MappingProxyType
from typing import Annotated, Any, Final, get_type_hints

from pydantic import BaseModel, Field, create_model

from windtunnel.policies.router.router_options import LISTED, RouterOptions
from windtunnel.systems.base import Vocabulary


def _model() -> type[BaseModel]:
    hints = get_type_hints(RouterOptions)
    hints["submissions"] = Annotated[int, Field(ge=1)]
    options: dict[str, Any] = {
        each.name: (hints[each.name], each.default) for each in fields(RouterOptions)
    }
    return create_model(
        "Policy", __base__=Vocabulary, __doc__=RouterOptions.__doc__, __module__=__name__, **options
    )


Policy: Final = _model()
"""The fields of `RouterOptions`, with its defaults."""
POLICIES: Final[Mapping[str, Mapping[str, Any]]] = MappingProxyType(
    {"specified": MappingProxyType({}), "listed": LISTED}
)
"""Named set → options over the defaults."""


def options_of(policy: BaseModel) -> RouterOptions:
    """Return the options that a policy says."""
    return RouterOptions(**policy.model_dump())
