"""Parts of a scenario know which variables they hang on, and whether all of these are known."""

from __future__ import annotations

import pytest

from windtunnel.errors import ScenarioError
from windtunnel.scenario.reading.scenario import PartReader, part_of
from windtunnel.scenario.source.problems import Problems
from windtunnel.scenario.source.yaml_nodes import compose


def test_the_names_of_a_part() -> None:
    root, _ = compose("a: $x\nb: [$y-$x, $$z]\n")
    part = part_of(root)
    assert part.names == ("x", "y")
    assert part.sound
    assert not part_of(root, sound=False).sound


def test_a_reader_adds_what_is_not_known() -> None:
    root, _ = compose("a: $x\nb: $y\nc: $n\n")
    problems = Problems("x")
    reader = PartReader(problems, frozenset("x"), {"y": "stands elsewhere"})
    assert not reader.read(root, "n").sound
    assert reader.read(root.only("ac"), "n").sound
    with pytest.raises(ScenarioError) as caught:
        problems.raise_any()
    assert [str(problem) for problem in caught.value.problems] == [
        "x:2:4: error: `$y` stands elsewhere"
    ]


def test_without_the_variables_no_reference_is_looked_at() -> None:
    root, _ = compose("a: $x\n")
    problems = Problems("x")
    part = PartReader(problems).read(root)
    assert (part.names, part.sound) == (("x",), True)
    assert not problems
