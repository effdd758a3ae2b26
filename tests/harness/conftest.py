"""Cells made by hand, for tests of what plays, selects and reports them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from windtunnel.scenario.cells import Cell
from windtunnel.world import Limits


@pytest.fixture
def make_cell() -> Callable[..., Cell]:
    """Give a function that makes a cell with these fields, and plain ones for the rest."""

    def make(**fields: object) -> Cell:
        plain: dict[str, Any] = {
            "scenario": "probe",
            "file": "probe.yaml",
            "line": 1,
            "axes": {},
            "world": "sim",
            "system": "ui",
            "policy": "specified",
            "policy_options": None,
            "scheduler": None,
            "seed": 0,
            "given": None,
            "timeline": (),
            "observe_at": None,
            "settle": 0,
            "until": None,
            "limits": Limits(),
            "expect": (),
            "variables": {},
        }
        return Cell(**{**plain, **fields})

    return make
