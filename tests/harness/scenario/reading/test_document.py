"""Parts of a document know which variables they hang on."""

from __future__ import annotations

from windtunnel.scenario.reading.document import part_of
from windtunnel.scenario.source.yaml_nodes import compose


def test_the_names_of_a_part() -> None:
    root, _ = compose("a: $x\nb: [$y-$x, $$z]\n")
    part = part_of(root)
    assert part.names == ("x", "y")
    assert part.sound
    assert not part_of(root, sound=False).sound
