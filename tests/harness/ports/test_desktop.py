"""The port `Desktop`: what is passed through it, and what it is recognised by."""

from __future__ import annotations

import dataclasses

import pytest

from windtunnel.ports.desktop import Desktop, Frame, Region, WindowInfo


@pytest.mark.parametrize(
    "value", [Region(0, 0, 10, 20), Frame(1, 1, b"\0" * 4), WindowInfo(1, 2, 3, "", True, True)]
)
def test_what_is_passed_cannot_be_changed(value: Region | Frame | WindowInfo) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, dataclasses.fields(value)[0].name, None)


def test_a_desktop_is_recognised_by_its_methods() -> None:
    assert not isinstance(object(), Desktop)
