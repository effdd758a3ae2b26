"""References: found, replaced with their type or written out, and bounded."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.scenario.reading.references import (
    MAX_TEXT,
    MAX_VALUES,
    Late,
    LateText,
    ReferenceFault,
    late_names,
    put_late,
    references,
    substitute,
    undefined,
)
from windtunnel.scenario.source.yaml_nodes import Node, compose


def read(data: Any) -> Node:
    root, faults = compose(json.dumps(data))
    assert not faults
    return root


def replaced(data: Any, **values: Any) -> Any:
    return substitute(read(data), values)


def undefined_in(text: str, *known: str, **elsewhere: str) -> list[str]:
    root, _ = compose(text)
    return [f"{f.line}:{f.column} {f.message}" for f in undefined(root, known, elsewhere=elsewhere)]


def refusal(data: Any, **values: Any) -> str:
    with pytest.raises(ReferenceFault) as caught:
        replaced(data, **values)
    return str(caught.value)


@pytest.mark.parametrize("value", [1, 1.5, True, None, "x", [1, 2], {"a": 1}])
def test_a_reference_alone_keeps_the_type(value: Any) -> None:
    found = replaced({"a": ["$x"]}, x=value)["a"][0]
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize(
    ("text", "values", "expected"),
    [
        ("room-$n", {"n": 3}, "room-3"),
        ("$a$b", {"a": 1, "b": "x"}, "1x"),
        ("$a.$b", {"a": 1.5, "b": True}, "1.5.true"),
        ("<$a>", {"a": None}, "<null>"),
        ("<$a>", {"a": False}, "<false>"),
        ("$$a", {"a": 1}, "$a"),
        ("$$", {}, "$"),
        ("$$$a", {"a": 1}, "$1"),
        ("$a", {"a": "$b", "b": 2}, "$b"),
        ("$ab", {"a": 1, "ab": 2}, 2),
    ],
)
def test_inside_a_longer_text(text: str, values: dict[str, Any], expected: Any) -> None:
    assert replaced([text], **values) == [expected]


@pytest.mark.parametrize("text", ["5 $", "$5", "a$-b", "${x}", "$ x"])
def test_a_bare_dollar_is_refused(text: str) -> None:
    assert "must begin a name" in refusal([text], x=1)


def test_unknown_names_and_collections_inside_a_text() -> None:
    assert refusal(["$a"]) == "`$a` is not defined"
    assert "is a list" in refusal(["x$a"], a=[1])
    assert "is a mapping" in refusal(["x$a"], a={})


def test_what_is_found() -> None:
    root = read({"a": "$x and $y", "b": ["$$z", "$x", "$"], "$k": 1})
    assert [reference.name for reference in references(root)] == ["x", "y", "x", ""]


def test_the_data_itself_is_used_where_nothing_refers() -> None:
    root = read({"a": [1, 2]})
    assert substitute(root, {}) is root.value


def test_texts_do_not_grow_without_bound() -> None:
    assert replaced(["$a$a"], a="x" * (MAX_TEXT // 2))
    assert "text of over" in refusal(["$a$a."], a="x" * (MAX_TEXT // 2))


def test_values_do_not_grow_without_bound() -> None:
    ten: Any = "x"
    for _ in range(4):
        ten = [ten] * 10
    assert "bring in over" in refusal(["$a"] * 6, a=ten)
    replaced(["$a"] * (MAX_VALUES // 12_000), a=ten)
    deep: Any = []
    for _ in range(100):
        deep = [deep]
    assert "nest too deeply" in refusal(["$a"], a=deep)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("$i", 7), ("room-$i", "room-7"), ("$i$i", "77"), ("$i-$n", "7-x"), ("$$i$i", "$i7")],
)
def test_the_number_in_a_repeat(text: str, expected: Any) -> None:
    waiting = replaced({"a": [text]}, n="x")
    assert late_names(waiting) == {"i"}
    assert put_late(waiting, {"i": 7}) == {"a": [expected]}


def test_what_a_table_of_arrivals_brings() -> None:
    root, _ = compose('{"a": "$to", "b": "$i: $to of $n", "c": "$n"}')
    waiting = substitute(root, {"n": 3}, ("i", "to", "text"))
    assert late_names(waiting) == {"i", "to"}
    assert put_late(waiting, {"i": 0, "to": True}) == {"a": True, "b": "0: true of 3", "c": 3}
    with pytest.raises(ReferenceFault, match="`\\$to` is not defined"):
        substitute(root, {"n": 3}, ("i",))


def test_what_does_not_wait_is_left_alone() -> None:
    assert not late_names(replaced({"a": ["$n", "$$i"]}, n=1))
    assert put_late({"a": [1, "x", None]}, {"i": 3}) == {"a": [1, "x", None]}
    assert LateText(("a", Late("i"))).put({"i": 0}) == "a0"


@given(st.text(alphabet="$ai_ -", max_size=12))
def test_every_text_is_replaced_or_refused(text: str) -> None:
    try:
        found = replaced([text], a="A")
    except ReferenceFault:
        return
    assert late_names(found) or "$a" not in text or "A" in found[0] or "$$" in text


@given(st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]), max_size=30))
def test_doubling_dollars_gives_the_text_back(text: str) -> None:
    assert replaced([text.replace("$", "$$")]) == [text]


def test_what_is_known_is_not_undefined_in() -> None:
    assert undefined_in("a: $x\nb: 'and $y, for $$5'\n", "x", "y") == []


def test_what_is_not_defined_is_told_at_its_place() -> None:
    assert undefined_in("a: $xx\nb: [1, $z-$x]\n", "x") == [
        "1:4 `$xx` is not defined; did you mean `x`?",
        "2:8 `$z` is not defined (known: x)",
    ]


def test_what_is_said_of_what_is_not_defined() -> None:
    assert undefined_in("a: $sender\n", "senders") == [
        "1:4 `$sender` is not defined; did you mean `senders`?"
    ]
    assert undefined_in("a: $x\n") == [
        "1:4 `$x` is not defined; define it in `let`, `matrix` or the inputs of `cases`"
    ]
    assert undefined_in("a: $x\n", x="is somewhere else") == ["1:4 `$x` is somewhere else"]
    assert "stands in the `args` of an entry with `repeat`" in undefined_in("a: $i\n", "x")[0]
    assert "write `$$`" in undefined_in("a: 5 $\n")[0]
