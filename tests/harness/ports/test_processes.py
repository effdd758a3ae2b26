"""The port `Processes`: what is started through it."""

from __future__ import annotations

import dataclasses

import pytest

from windtunnel.ports.processes import ProcessSpec


def test_a_program_works_on_the_machine_unless_it_says_what_on() -> None:
    assert ProcessSpec("wechat", ("wechat",)).resource == "processes"


def test_what_is_to_be_started_cannot_be_changed() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        ProcessSpec("scrot", ("scrot", "-")).name = "rm"  # type: ignore[misc]
