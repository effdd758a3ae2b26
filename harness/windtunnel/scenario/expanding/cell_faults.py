"""The faults of a cell: entries typed by the system's models, their names resolved.

Imports the models of entries, `timeline_names`, `validation` and `cells`.
"""

from __future__ import annotations

from typing import Any, Final

from windtunnel import world
from windtunnel.scenario.cells import FaultEntry
from windtunnel.scenario.expanding.system_mistakes import possible
from windtunnel.scenario.expanding.timeline_names import TimelineNames
from windtunnel.scenario.reading.entries import FaultMoment
from windtunnel.scenario.source.suggestions import did_you_mean
from windtunnel.scenario.source.validation import Typed, validated
from windtunnel.scenario.source.yaml_nodes import Fault, Node
from windtunnel.systems.base import System

_OWN: Final = tuple(info.alias or name for name, info in FaultMoment.model_fields.items())


def type_fault(
    data: dict[str, Any], *, node: Node, id_: str, system: System, names: TimelineNames
) -> Typed[FaultEntry]:
    """Return the fault of the data, or everything that is wrong with it.

    `id_` is its own id, or the one it has by its place in the file.
    """
    own = {key: value for key, value in data.items() if key in _OWN}
    typed = validated(FaultMoment, own, node, context=names)
    faults = list(typed.faults)
    args = _args(data, node, system, names, faults)
    if typed.value is None or args is None or faults:
        return Typed(None, tuple(faults))
    said = typed.value
    return Typed(
        FaultEntry(
            line=node.line,
            fault=world.Fault(id_, said.do, args),
            at=said.at,
            after=said.after,
            plus=said.plus or 0,
            lasts=said.for_,
        )
    )


def _args(
    data: dict[str, Any], node: Node, system: System, names: TimelineNames, faults: list[Fault]
) -> dict[str, Any] | None:
    """Return the fields of the system's model as plain data, or None with what is wrong added."""
    do = data.get("do")
    if not isinstance(do, str) or not do:
        return None  # told by the model of what every fault says
    if do not in system.faults:
        hint = did_you_mean(do, system.faults, most=24) if system.faults else ", nor any other"
        message = f"`{system.name}` has no fault named `{do[:40]}`{hint}"
        faults.append((node.child("do") or node).fault(message))
        return None
    further = {key: value for key, value in data.items() if key not in _OWN}
    typed = possible(system.faults[do], further, node, names=names, known=_OWN)
    faults += typed.faults
    return None if typed.value is None else typed.value.model_dump()
