"""The kinds of trace event: who records each and what its details mean, in one table.

Digests, witnesses, checks and foreign schedulers hang on it; `windtunnel kinds` prints it. The
tables of the parts stand beside this module; a system that comes in as a plug-in adds its own by
`declare`. Imports nothing of the project.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from windtunnel.kinds.bridge import BRIDGE
from windtunnel.kinds.common import COMMON
from windtunnel.kinds.desktop import DESKTOP
from windtunnel.kinds.kind import Kind, Kinds, Origin
from windtunnel.kinds.routing import ROUTING

__all__ = ["KINDS", "Kind", "Origin", "declare"]

_kinds: dict[str, Kind] = {**COMMON, **DESKTOP, **BRIDGE, **ROUTING}
KINDS: Final[Kinds] = MappingProxyType(_kinds)
"""Every kind there is, by its name."""


def declare(kinds: Kinds) -> None:
    """Add the kinds of a plug-in; the same ones again change nothing.

    Raises `ValueError` for a name that means something else already.
    """
    for name, kind in kinds.items():
        if _kinds.setdefault(name, kind) != kind:
            raise ValueError(f"there is a kind of trace event named {name!r} already")
