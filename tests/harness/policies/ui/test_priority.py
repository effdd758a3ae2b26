"""The four priorities, their numbers and their order."""

from __future__ import annotations

import pytest

from windtunnel.policies.ui.priority import Priority


@pytest.mark.spec("UI-Q1")
def test_names_numbers_and_order() -> None:
    assert {priority.name: int(priority) for priority in Priority} == {
        "CRITICAL": 0,
        "HIGH": 1,
        "NORMAL": 2,
        "LOW": 3,
    }
    assert sorted({*Priority}) == list(Priority)
