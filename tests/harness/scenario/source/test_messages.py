"""Messages: pydantic's findings in the words of who wrote the file."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from windtunnel.scenario.source.messages import fields_at, mistakes, show, show_key


class Inner(BaseModel):
    """Nested."""

    model_config = ConfigDict(extra="forbid")
    count: int = 1
    other: int = Field(default=0, alias="else")


class Outer(BaseModel):
    """One of each kind of mistake."""

    model_config = ConfigDict(extra="forbid", strict=True)
    whole: int = 1
    number: Annotated[float, Field(allow_inf_nan=False)] = 1.0
    flag: bool = False
    text: Annotated[str, Field(min_length=1, max_length=5, pattern="^[a-z]*$")] = "x"
    choice: Literal["red", "blue"] = "red"
    small: Annotated[int, Field(ge=1, lt=10)] = 1
    even: Annotated[int, Field(gt=0, le=100, multiple_of=2)] = 2
    many: Annotated[list[int], Field(min_length=1, max_length=2)] = [1]
    table: dict[str, Inner] = {}
    inners: list[Inner] = []
    either: Inner | list[Inner] | None = None
    own: int = 0

    @field_validator("own")
    @classmethod
    def _zero(cls, value: int) -> int:
        if value:
            raise ValueError("own words")
        return value


class Needy(BaseModel):
    """Something is required."""

    must: int


def told(data: Any, model: type[BaseModel] = Outer, known: tuple[str, ...] = ()) -> list[str]:
    with pytest.raises(ValidationError) as caught:
        model.model_validate(data)
    return [mistake.message for mistake in mistakes(caught.value, model, known)]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"whole": "x"}, "a whole number is needed here, not 'x'"),
        ({"whole": 1.5}, "a whole number is needed here, not 1.5"),
        ({"whole": True}, "a whole number is needed here, not true"),
        ({"number": "x"}, "a number is needed here, not 'x'"),
        ({"number": math.inf}, "a finite number is needed here, not .inf"),
        ({"flag": "no"}, "true or false is needed here, not 'no'"),
        ({"text": 5}, "a text is needed here, not 5; quote it"),
        ({"text": ["a"]}, "a text is needed here, not a list"),
        ({"text": None}, "a text is needed here, not null"),
        ({"text": ""}, "must not be empty"),
        ({"text": "abcdef"}, "takes at most 5 characters"),
        ({"text": "AB"}, "'AB' does not have the form ^[a-z]*$"),
        ({"choice": "bleu"}, "'bleu' is not one of red, blue; did you mean `blue`?"),
        ({"choice": 3}, "3 is not one of red, blue"),
        ({"small": 0}, "must be at least 1, not 0"),
        ({"small": 10}, "must be less than 10, not 10"),
        ({"even": 0}, "must be more than 0, not 0"),
        ({"even": 102}, "must be at most 100, not 102"),
        ({"even": 3}, "must be a multiple of 2, not 3"),
        ({"many": []}, "needs at least 1 entry"),
        ({"many": [1, 2, 3]}, "takes at most 2 entries"),
        ({"many": {}}, "a list is needed here, not a mapping"),
        ({"table": []}, "a mapping is needed here, not a list"),
        ({"table": {"a": 1}}, "a mapping is needed here, not 1"),
        ({"own": 1}, "own words"),
        ({"wohle": 1}, "unknown field `wohle`; did you mean `whole`?"),
        ({"table": {"a": {"cuont": 1}}}, "unknown field `cuont`; did you mean `count`?"),
        ({"inners": [{}, {"esle": 1}]}, "unknown field `esle`; did you mean `else`?"),
        ([], "a mapping is needed here, not a list"),
    ],
)
def test_in_plain_words(data: Any, message: str) -> None:
    assert told(data) == [message]


def test_a_required_field_is_named_at_what_lacks_it() -> None:
    with pytest.raises(ValidationError) as caught:
        Needy.model_validate({})
    (mistake,) = mistakes(caught.value, Needy)
    assert mistake == ((), False, "`must` is required here")


def test_fields_that_stand_beside_are_proposed_at_the_top_alone() -> None:
    assert told({"repaet": 1}, known=("repeat",)) == [
        "unknown field `repaet`; did you mean `repeat`?"
    ]
    assert "repeat" not in told({"inners": [{"repaet": 1}]}, known=("repeat",))[0]


def test_the_fields_at_a_place() -> None:
    assert fields_at(Outer, ("inners", 0)) == {"count", "else"}
    assert fields_at(Outer, ("either", "Inner")) == {"count", "else"}
    assert fields_at(Outer, ("table", "anything")) == {"count", "else"}
    assert "whole" in fields_at(Outer, ())


def test_values_are_shown_as_a_file_has_them() -> None:
    values: list[Any] = [None, True, False, {}, [], (), 1, 1.5, "x", math.nan, -math.inf]
    shown = ["null", "true", "false", "a mapping", "a list", "a list", "1", "1.5", "'x'"]
    assert [show(value) for value in values] == [*shown, ".nan", "-.inf"]
    assert len(show("x" * 1000)) < 70


def test_keys_are_shown_on_one_line() -> None:
    assert show_key("a\nb") == "a\\nb"
    assert len(show_key("x" * 1000)) == 40
