"""How a cell runs: scheduler, seed, ends and limits, typed.

Imports the format's models and `typing_memo`.
"""

from __future__ import annotations

from typing import Any

from windtunnel.scenario.reading.models import Run
from windtunnel.scenario.reading.typing_memo import Typed, validated
from windtunnel.scenario.source.yaml_nodes import Fault, Node


def type_run(data: dict[str, Any], node: Node, *, may_load: bool) -> Typed[Run]:
    """Return the fields of `Run`, or what is wrong with them.

    A foreign class (`scheduler: module:Class`) is refused unless it `may_load`: to import it is to
    run its code, which is for the command line to allow and not for a file.
    """
    typed = validated(Run, data, node)
    if typed.value is None or typed.value.scheduler is None or may_load:
        return typed
    place = node.child("scheduler") or node
    said = f"the scheduler {typed.value.scheduler} is code; --allow-code lets a file load it"
    return Typed(None, (Fault(*place.place(), said),))
