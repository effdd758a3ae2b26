"""The errors of the real world: each is told from a fault in the tool, and by what it stops."""

from __future__ import annotations

import inspect

import pytest

from windtunnel.errors import WindtunnelError, WorldError, WorldUnavailableError
from windtunnel_real import errors

ALL = [
    each
    for _, each in inspect.getmembers(errors, inspect.isclass)
    if each.__module__ == errors.__name__
]


@pytest.mark.parametrize("error", ALL)
def test_it_is_one_of_the_tree(error: type[Exception]) -> None:
    assert issubclass(error, WindtunnelError)


def test_a_world_that_is_not_there_and_one_that_is_gone_are_two_things() -> None:
    assert issubclass(errors.DisplayStartError, WorldUnavailableError)
    assert issubclass(errors.DisplayDiedError, WorldError)
    assert issubclass(errors.DeadlineError, TimeoutError)
