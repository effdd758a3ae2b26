"""The ports: what a world without any offers, and what is passed through them."""

from __future__ import annotations

import dataclasses

import pytest

from windtunnel.ports import Display, Frame, Ports, Processes, Region


def test_a_world_need_not_offer_any() -> None:
    assert Ports() == Ports(display=None, desktop=None, processes=None)


def test_what_is_passed_cannot_be_changed() -> None:
    for value in (Region(0, 0, 10, 20), Frame(1, 1, b"\0" * 4), Ports()):
        name = dataclasses.fields(value)[0].name
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(value, name, None)


def test_a_port_is_recognised_by_its_methods() -> None:
    class Screen:
        async def perform(self, command: str, seconds: float) -> None: ...

    assert isinstance(Screen(), Display)
    assert not isinstance(Screen(), Processes)
