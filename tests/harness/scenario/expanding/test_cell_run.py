"""How a cell runs: the fields of `Run`, and who may load code."""

from __future__ import annotations

from windtunnel.scenario.expanding.cell_run import type_run
from windtunnel.scenario.source.yaml_nodes import compose


def test_a_scheduler_of_the_file_is_refused_unless_allowed() -> None:
    node, _ = compose("seed: 1\nscheduler: a.b:C\n")
    refused = type_run(node.value, node, may_load=False)
    assert refused.value is None
    assert refused.faults[0][:2] == (2, 12)
    assert "--allow-code" in refused.faults[0].message
    allowed = type_run(node.value, node, may_load=True)
    assert allowed.value is not None
    assert allowed.value.scheduler == "a.b:C"


def test_without_a_scheduler_nothing_is_loaded() -> None:
    node, _ = compose("seed: 1\n")
    typed = type_run(node.value, node, may_load=False)
    assert typed.value is not None
    assert typed.value.seed == 1


def test_mistakes_are_told_at_their_places() -> None:
    node, _ = compose("seed: -1\nsettle: 5\n")
    assert [fault[:2] for fault in type_run(node.value, node, may_load=True).faults] == [
        (1, 7),
        (2, 9),
    ]
