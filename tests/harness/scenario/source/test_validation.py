"""Validation: a value, or every mistake at its place."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, ValidationError

from windtunnel.scenario.source.messages import Mistake
from windtunnel.scenario.source.validation import fault_at, faults_of, locate, validated
from windtunnel.scenario.source.yaml_nodes import compose


def test_validation_tells_places() -> None:
    class Model(BaseModel):
        a: int

    root, _ = compose("a: x\n")
    assert validated(Model, {"a": 1}, root).value == Model(a=1)
    typed = validated(Model, root.value, root)
    assert typed.value is None
    assert typed.faults[0][:2] == (1, 4)


def test_places() -> None:
    root, _ = compose("a:\n  - {b: 1}\n  - $x\n")
    assert locate(root, ("a", 0, "b"))[:2] == (2, 9)
    assert locate(root, ("a", 0, "b"), at_key=True)[:2] == (2, 6)
    assert locate(root, ("a", "list[int]", 0, "z"))[:2] == (2, 5)
    assert locate(root, ("a", 1, "deep", "down"))[:2] == (3, 5)
    assert locate(root, ())[:2] == (1, 1)


def test_a_replaced_value_names_its_reference() -> None:
    root, _ = compose("a: $x\nb: y\n")
    assert fault_at(root, Mistake(("a", 3), at_key=False, message="wrong")).message == (
        "wrong (from `$x`)"
    )
    assert fault_at(root, Mistake(("b",), at_key=False, message="wrong")).message == "wrong"


def test_the_arms_of_a_union_are_told_together() -> None:
    class Either(BaseModel):
        a: int | list[int]

    root, _ = compose("a: x\n")
    with pytest.raises(ValidationError) as caught:
        Either.model_validate(root.value)
    (fault,) = faults_of(caught.value, Either, root)
    assert fault[:2] == (1, 4)
    assert fault.message == (
        "a whole number is needed here, not 'x'; or a list is needed here, not 'x'"
    )
