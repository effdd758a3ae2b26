"""First-party plug-ins as strings, resolved lazily; third parties come in by entry points.

This is the only way by which `windtunnel` reaches the packages that depend on it. An entry point
may not take the name of a built-in.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from importlib.metadata import entry_points
from pathlib import PurePath
from types import MappingProxyType
from typing import Any, Final, Literal

from windtunnel.errors import PluginError, WorldUnavailableError

Group = Literal["worlds", "systems", "reports", "doctors"]

BUILTIN: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "worlds": {
            "sim": "windtunnel_models.world:SimWorld",
            "real": "windtunnel_real.world:RealWorld",
        },
        "systems": {
            "router": "windtunnel.systems.router:RouterSystem",
            "ui": "windtunnel.systems.ui:UISystem",
        },
        "reports": {"junit": "windtunnel_reports.junit:write_junit"},
        "doctors": {"real": "windtunnel_real.doctor.examine:examine"},
    }
)

_OF_WORLDS: Final = frozenset({"worlds", "doctors"})
"""Groups whose members may be missing from an installation."""
_DOCTOR: Final = "; `windtunnel doctor` tells what is missing"


def names(group: Group) -> tuple[str, ...]:
    """Return the names of a group: built-ins first, then entry points, each sorted."""
    third = {point.name for point in entry_points(group=f"windtunnel.{group}")}
    return (*sorted(BUILTIN[group]), *sorted(third - BUILTIN[group].keys()))


def load_object(target: str) -> Any:  # noqa: ANN401 - whatever the module holds
    """Import `module:attribute`.

    Raises `PluginError` naming what is wrong: the form, the module, or the attribute.
    """
    module_name, colon, attribute = target.partition(":")
    if not (colon and module_name and attribute):
        raise PluginError(f"{target!r} is not of the form module:Class")
    if "/" in module_name or module_name.endswith(".py"):
        stem = PurePath(module_name).stem
        raise PluginError(f"a module is named, not its file: {stem}:{attribute}, from its folder")
    try:
        module = importlib.import_module(module_name)
    except Exception as error:
        raise PluginError(f"cannot import {module_name!r}: {_describe(error)}") from error
    found: Any = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise PluginError(f"module {module_name!r} has no {attribute!r}")
        found = getattr(found, part)
    return found


def load_plugin(group: Group, name: str) -> Any:  # noqa: ANN401 - the group says what it is
    """Return the plug-in of that name.

    Raises `PluginError` for an unknown name, `WorldUnavailableError` for a built-in world, or the
    doctor of one, whose package is not there.
    """
    if name in BUILTIN[group]:
        target = BUILTIN[group][name]
        return _load_of_world(name, target) if group in _OF_WORLDS else load_object(target)
    for point in entry_points(group=f"windtunnel.{group}", name=name):
        return load_object(point.value)
    raise PluginError(f"there is no {name!r} among the {group}: {', '.join(names(group))}")


def _load_of_world(name: str, target: str) -> Any:  # noqa: ANN401 - its class, or its doctor
    try:
        return load_object(target)
    except PluginError as error:
        missing = isinstance(error.__cause__, ModuleNotFoundError)
        ours = missing and target.startswith(f"{error.__cause__.name}")  # type: ignore[union-attr]
        why = "" if ours else f" ({error}{_DOCTOR if name in BUILTIN['doctors'] else ''})"
        raise WorldUnavailableError(
            f"the {name} world is not part of this installation{why}"
        ) from error


def _describe(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
