"""Static names: what is not defined is told where it stands."""

from __future__ import annotations

from windtunnel.scenario.reading.static_names import undefined
from windtunnel.scenario.source.yaml_nodes import compose


def told(text: str, *known: str, **elsewhere: str) -> list[str]:
    root, _ = compose(text)
    return [f"{f.line}:{f.column} {f.message}" for f in undefined(root, known, elsewhere=elsewhere)]


def test_what_is_known_is_not_told() -> None:
    assert told("a: $x\nb: 'and $y, for $$5'\n", "x", "y") == []


def test_each_at_its_place() -> None:
    assert told("a: $xx\nb: [1, $z-$x]\n", "x") == [
        "1:4 `$xx` is not defined; did you mean `x`?",
        "2:8 `$z` is not defined (known: x)",
    ]


def test_hints() -> None:
    assert told("a: $sender\n", "senders") == [
        "1:4 `$sender` is not defined; did you mean `senders`?"
    ]
    assert told("a: $x\n") == [
        "1:4 `$x` is not defined; define it in `let`, `matrix` or the inputs of `cases`"
    ]
    assert told("a: $x\n", x="is somewhere else") == ["1:4 `$x` is somewhere else"]
    assert "stands in the `args` of an entry with `repeat`" in told("a: $i\n", "x")[0]
    assert "write `$$`" in told("a: 5 $\n")[0]
