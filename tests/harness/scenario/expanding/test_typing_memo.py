"""The memo: each combination of values is typed once."""

from __future__ import annotations

from typing import Any

from windtunnel.scenario.expanding.typing_memo import UNSOUND, Memo
from windtunnel.scenario.reading.scenario import Part, part_of
from windtunnel.scenario.source.validation import Typed
from windtunnel.scenario.source.yaml_nodes import compose


def part(text: str) -> Part:
    return part_of(compose(text)[0])


class Counted:
    """Makes a typed value of data and counts how often."""

    def __init__(self) -> None:
        self.made: list[Any] = []

    def __call__(self, data: Any) -> Typed[Any]:
        self.made.append(data)
        return Typed(data)


def test_only_the_values_referred_to_count() -> None:
    memo, make, text = Memo(), Counted(), part("[$a, $b]")
    for c in range(5):
        assert memo.typed(text, {"a": 1, "b": 2, "c": c}, make).value == [1, 2]
    assert memo.typed(text, {"a": 3, "b": 2}, make).value == [3, 2]
    assert make.made == [[1, 2], [3, 2]]


def test_types_are_told_apart() -> None:
    memo, make, text = Memo(), Counted(), part("[$a]")
    for value in (1, True, 1.0, "1", [1], [True], {"a": 1}):
        memo.typed(text, {"a": value}, make)
    assert len(make.made) == 7


def test_what_else_counts() -> None:
    memo, make, text = Memo(), Counted(), part("[x]")
    for also in ("a", "b", "a"):
        memo.typed(text, {}, make, also)
    assert len(make.made) == 2


def test_parts_are_told_apart() -> None:
    memo, make = Memo(), Counted()
    parts = [part("[x]"), part("[x]")]
    for one in parts:
        memo.typed(one, {}, make)
    assert len(make.made) == 2


def test_an_unsound_part_is_not_looked_into() -> None:
    memo, make = Memo(), Counted()
    unsound = part_of(compose("$x")[0], sound=False)
    assert memo.typed(unsound, {}, make) is UNSOUND
    assert make.made == []
    assert not UNSOUND.sound
    assert UNSOUND.faults == ()


def test_what_cannot_be_replaced_is_a_fault() -> None:
    typed = Memo().typed(part("a: x$y"), {"y": [1]}, Counted())
    assert not typed.sound
    assert typed.faults[0][:2] == (1, 4)
