"""The base of a system's vocabulary: nothing unknown, nothing changed later."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from windtunnel.systems.base import NoArgs, Vocabulary


class Word(Vocabulary):
    """A model of a system."""

    size: int = 1


def test_an_unknown_key_is_refused() -> None:
    with pytest.raises(ValidationError, match="colour"):
        Word.model_validate({"size": 2, "colour": "red"})
    with pytest.raises(ValidationError, match="size"):
        NoArgs.model_validate({"size": 2})


def test_what_was_read_stays_as_it_is() -> None:
    with pytest.raises(ValidationError, match="frozen"):
        Word().size = 3  # type: ignore[misc]
