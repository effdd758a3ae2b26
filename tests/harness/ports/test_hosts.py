"""The port `Hosts`: what a program is told of its host and of its store."""

from __future__ import annotations

from typing import Any, cast

from windtunnel.ports.hosts import HostPorts, Moved


def test_a_program_lives_until_it_is_told_otherwise() -> None:
    ports = HostPorts("backend", cast("Any", None), cast("Any", None))
    assert ports.alive()
    assert not ports.environment


def test_a_move_says_what_came_or_went() -> None:
    assert Moved("t.1", "waiting", there=True) == ("t.1", "waiting", True)
