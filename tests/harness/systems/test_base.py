"""The base of a system's vocabulary: nothing unknown, nothing changed later."""

from __future__ import annotations

import pytest
from pydantic import Field, ValidationError

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


class Nested(Vocabulary):
    """Every plain value at every depth, under names that are words of a schema too."""

    type: int = 0
    default: float = 0.5
    words: dict[str, tuple[Word, ...]] = Field(default_factory=dict)
    on: bool | None = None


@pytest.mark.parametrize(
    "said",
    [
        {"type": "4"},
        {"type": True},
        {"type": 4.0},
        {"default": "0.5"},
        {"default": False},
        {"on": "yes"},
        {"on": 1},
        {"words": {"x": [{"size": "4"}]}},
    ],
)
def test_no_plain_value_is_converted(said: dict[str, object]) -> None:
    with pytest.raises(ValidationError, match="should be a valid"):
        Nested.model_validate(said)


def test_what_a_file_can_write_is_read() -> None:
    said = {"type": 4, "default": 1, "on": True, "words": {"x": [{"size": 2}]}}
    read = Nested.model_validate(said)
    assert read == Nested(type=4, default=1.0, on=True, words={"x": (Word(size=2),)})
