"""The named sets of options."""

from __future__ import annotations

import dataclasses

import pytest

from windtunnel.policies.ui.ui_options import SPECIFIED, UIOptions


def test_specified_is_the_default() -> None:
    assert UIOptions() == SPECIFIED
    assert SPECIFIED.order == "priority"


def test_a_set_of_options_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        SPECIFIED.order = "fifo"  # type: ignore[misc]
