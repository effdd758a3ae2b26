"""The router's options: what the listings do is told by fields that there are."""

from __future__ import annotations

import dataclasses

import pytest

from windtunnel.policies.router.router_options import LISTED, RouterOptions


def test_the_listed_set_differs_from_the_default_in_every_field() -> None:
    listed = dataclasses.asdict(RouterOptions(**LISTED))
    default = dataclasses.asdict(RouterOptions())
    assert listed.keys() == LISTED.keys()
    assert not [name for name, value in default.items() if listed[name] == value]


def test_a_set_of_options_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        RouterOptions().reserve = False  # type: ignore[misc]
