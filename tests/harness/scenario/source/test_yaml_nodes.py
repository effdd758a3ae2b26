"""YAML nodes: data with places; what is refused at once, and what is read over and told."""

from __future__ import annotations

import json

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.scenario.source import yaml_nodes
from windtunnel.scenario.source.yaml_nodes import (
    MAX_DEPTH,
    MAX_NODES,
    Fault,
    Node,
    YamlError,
    compose,
)

TEXT = """\
a: 1
b:
  - x
  - {c: no, 'd': "010"}
e: |
  text
f:
"""


@pytest.fixture(params=["libyaml", "pure"])
def either_parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "pure":
        monkeypatch.setattr(yaml_nodes, "LOADER", yaml.SafeLoader)
    return str(request.param)


def refusal(text: str) -> tuple[int, int, str]:
    with pytest.raises(YamlError) as caught:
        compose(text)
    line, column, message, file = caught.value.fault
    assert not file
    return line, column, message


def node(root: Node, *where: str | int) -> Node:
    for part in where:
        child = root.child(part)
        assert child is not None
        root = child
    return root


def test_libyaml_is_used_here() -> None:
    assert yaml_nodes.LOADER is yaml.CSafeLoader


@pytest.mark.usefixtures("either_parser")
def test_data_and_places() -> None:
    root, faults = compose(TEXT)
    assert faults == ()
    assert root.value == {"a": 1, "b": ["x", {"c": "no", "d": "010"}], "e": "text\n", "f": None}
    assert root.keys == {"a": (1, 1), "b": (2, 1), "e": (5, 1), "f": (7, 1)}
    assert node(root, "b").place() == (3, 3)
    assert node(root, "b", 1, "d").place() == (4, 18)
    assert node(root, "b", 1).keys == {"c": (4, 6), "d": (4, 13)}
    assert node(root, "e").place() == (5, 4)


def test_columns_count_characters_not_bytes() -> None:
    root, _ = compose("{ä: 1, 😀: 2, b: 3}")
    assert node(root, "b").place() == (1, 17)


@pytest.mark.usefixtures("either_parser")
def test_a_key_twice_is_told_at_the_second_and_the_first_counts() -> None:
    root, faults = compose("a: 1\nb: 2\na: 3\n")
    assert root.value == {"a": 1, "b": 2}
    assert faults == (Fault(3, 1, "`a` stands here twice; first in line 1"),)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("a: {<<: {b: 1}}", (1, 5), "merge keys"),
        ("1: a", (1, 1), 'a key must be a text, not 1; quote it: "1"'),
        ("true: a", (1, 1), "a key must be a text, not True"),
        ("? \n: a", (1, 2), "a key must be a text, not None"),
        ("a: !x b", (1, 4), "the tag `!x`"),
        ("a: !!python/name:os.system x", (1, 4), "the tag `!!python/name:os.system`"),
        ("a: ! b", (1, 4), "the tag `!`"),
        ("a: !!set {b}", (1, 4), "the tag `!!set`"),
    ],
)
def test_what_is_read_over(text: str, place: tuple[int, int], message: str) -> None:
    _, faults = compose(text)
    assert [fault[:2] for fault in faults] == [place]
    assert message in faults[0].message


def test_a_quoted_merge_key_is_a_key() -> None:
    root, faults = compose("'<<': 1")
    assert (root.value, faults) == ({"<<": 1}, ())


@pytest.mark.usefixtures("either_parser")
@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("", 1, "the file is empty; a scenario begins with `format: 1`"),
        ("# nothing\n", 1, "the file is empty"),
        ("a: 1\n---\nb: 1\n", 2, "a second document"),
        ("[a]: 1", 1, "a key must be a text, not a list or a mapping"),
        ("{{a: 1}: 1}", 1, "a key must be a text, not a list or a mapping"),
        ("a: &x 1\n*x : 1", 2, "an alias (`*x`) cannot be a key"),
        ("a: *x", 1, "there is no anchor `&x` above"),
        ("a: &x [*x]", 1, "`*x` stands inside what it repeats"),
        ("a:\n\t- b", 2, "a tab cannot stand here; use spaces"),
        ("a: [1\n", 2, "not YAML"),
        ("a: b: c", 1, "not YAML"),
        ("a: @x", 1, "not YAML"),
        ("%YAML 3.0\n---\na: 1", 1, "not YAML"),
    ],
)
def test_what_ends_the_reading(text: str, line: int, message: str) -> None:
    fault = refusal(text)
    assert fault[0] == line
    assert message in fault[2]


@pytest.mark.usefixtures("either_parser")
def test_nesting_is_bounded() -> None:
    compose("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    assert "levels deep" in refusal("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1))[2]


def test_deep_nesting_neither_recurses_nor_crashes() -> None:
    for opened in ("[", "{a: ", "- ", "? "):
        refusal(opened * 200_000)


def test_nesting_through_aliases_is_bounded() -> None:
    rows = [f"a{k}: &a{k} [*a{k - 1}]" for k in range(1, 60)]
    assert "levels deep by" in refusal("\n".join(["a0: &a0 [x]", *rows]))[2]


def bomb(levels: int) -> str:
    rows = [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 10)}]" for k in range(1, levels)]
    return "\n".join(["a0: &a0 [x, x, x, x, x, x, x, x, x, x]", *rows])


def test_an_alias_bomb_is_refused_when_it_has_grown_too_large() -> None:
    line, _, message = refusal(bomb(30))
    assert line == 6  # 10^5 values and a tenth more so far
    assert "aliases expanded" in message


@pytest.mark.parametrize("levels", [10, 100])
def test_a_bomb_costs_what_stands_before_the_refusal(
    levels: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = []
    take = yaml_nodes._Composer.take

    def counted(self: yaml_nodes._Composer, event: object) -> None:
        taken.append(event)
        take(self, event)

    monkeypatch.setattr(yaml_nodes._Composer, "take", counted)
    refusal(bomb(levels))
    assert len(taken) < 100


def test_a_bomb_made_of_mappings() -> None:
    rows = [f"a{k}: &a{k} {{x: *a{k - 1}, y: *a{k - 1}, z: *a{k - 1}}}" for k in range(1, 30)]
    assert "aliases expanded" in refusal("\n".join(["a0: &a0 {x: 1}", *rows]))[2]


def test_many_plain_values_are_refused_too() -> None:
    assert "more than" in refusal(f"[{'1,' * (MAX_NODES + 1)}]")[2]


def test_an_alias_is_the_value_again_at_its_own_place() -> None:
    root, _ = compose("a: &x {b: $c}\nd: *x\n")
    assert root.value == {"a": {"b": "$c"}, "d": {"b": "$c"}}
    assert node(root, "d").place() == (2, 4)
    assert node(root, "d").refers


def test_only_and_having_leave_the_original() -> None:
    root, _ = compose("a: 1\nb: $x\nc: 3\n")
    assert root.only(["c", "a", "z"]).value == {"c": 3, "a": 1}
    assert not root.only(["a"]).refers
    changed = root.having("a", Node(9, 7, 7))
    assert changed.value == {"b": "$x", "c": 3, "a": 9}
    assert changed.keys["a"] == (7, 7)
    assert root.having("b", None).value == {"a": 1, "c": 3}
    assert root.value == {"a": 1, "b": "$x", "c": 3}


def test_children() -> None:
    root, _ = compose("a: [x, y]\n")
    assert root.child("b") is None
    assert root.child(0) is None
    items = node(root, "a")
    assert [part for part, _ in items.items()] == [0, 1]
    assert [child.value for child in items.nodes()] == ["x", "y"]
    assert items.child(2) is None
    assert items.child(-1) is None
    assert list(node(root, "a", 0).nodes()) == []
    assert list(node(root, "a", 0).items()) == []


_TEXTS = st.text(st.characters(max_codepoint=0xFFFF, exclude_categories=["Cs"]), max_size=10)
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | _TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_TEXTS, inner, max_size=4),
    max_leaves=20,
)


@given(_JSON)
def test_json_is_read_as_what_it_is(value: object) -> None:
    root, faults = compose(json.dumps({"value": value}))
    assert faults == ()
    assert root.value == {"value": value}


def test_faults_stand_at_a_value_or_at_its_key() -> None:
    root, _ = compose("a: {b: 1}\n")
    assert node(root, "a").fault("wrong") == Fault(1, 4, "wrong")
    assert node(root, "a").key_fault("b", "wrong") == Fault(1, 5, "wrong")


def test_every_place_knows_the_file_that_a_scenario_includes() -> None:
    root, faults = compose("a: [1, {b: x}]\na: 2\n", "other.yaml")
    assert [fault.file for fault in faults] == ["other.yaml"]
    assert node(root, "a", 1).key_fault("b", "wrong") == Fault(1, 9, "wrong", "other.yaml")
    assert node(root, "a", 1, "b").fault("wrong") == Fault(1, 12, "wrong", "other.yaml")
    assert root.only(["a"]).file == "other.yaml"
    assert Fault(1, 2, "wrong", "other.yaml").problem("x.yaml").file == "other.yaml"
    assert Fault(1, 2, "wrong").problem("x.yaml").file == "x.yaml"
