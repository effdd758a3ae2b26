"""The table of error classes: every kind has a row, as the requirement lists them."""

from __future__ import annotations

import pytest

from windtunnel.policies.router.error_classes import ERROR_CLASSES, ErrorKind

pytestmark = pytest.mark.spec("RT-X2")

ROWS = {
    "network_timeout": ("low", "next_attempt"),
    "instance_offline": ("medium", "requeue"),
    "store_down": ("high", "degrade_local_store"),
    "token": ("medium", "refresh"),
    "out_of_memory": ("critical", "emergency"),
    "unknown": ("medium", "degrade"),
}


def test_every_kind_has_its_row() -> None:
    table = {kind.value: (row.severity, row.reaction) for kind, row in ERROR_CLASSES.items()}
    assert table == ROWS
    assert set(ERROR_CLASSES) == set(ErrorKind)
