"""The errors: one tree under the project's root."""

from __future__ import annotations

import pytest

from windtunnel.errors import WorldError
from windtunnel_models import errors


def classes() -> list[type[Exception]]:
    return [value for value in vars(errors).values() if isinstance(value, type)]


@pytest.mark.parametrize("error", classes())
def test_every_error_has_the_projects_root_and_says_what_it_is(error: type[Exception]) -> None:
    assert issubclass(error, WorldError)
    assert error.__doc__
    assert error is WorldError or issubclass(error, errors.LoopError)
