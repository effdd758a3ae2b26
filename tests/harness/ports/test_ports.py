"""The ports of a world: what one without any offers."""

from __future__ import annotations

import dataclasses

import pytest

from windtunnel.ports import Ports


def test_a_world_need_not_offer_any() -> None:
    assert Ports() == Ports(desktop=None, processes=None, records=None, hosts=None)


def test_a_world_s_ports_stay_its_own() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        Ports().hosts = None  # type: ignore[misc]
