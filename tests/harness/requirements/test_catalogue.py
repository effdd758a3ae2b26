"""The catalogue: the bundled ids, files of one's own, their mistakes at their places."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from windtunnel.errors import ScenarioError
from windtunnel.requirements.catalogue import Catalogue, bundled, load_catalogue

FAMILIES = {
    "L": 3, "Q": 16, "O": 3, "E": 2, "C": 9, "F": 4, "W": 8, "M": 3, "AC": 6, "T": 5, "I": 3,
    "R": 1, "U": 8, "K": 5,
}  # fmt: skip


def test_the_bundled_ids_of_the_ui_are_numbered_without_a_gap() -> None:
    ids = [
        id_.removeprefix("UI-") for id_ in load_catalogue(bundled()).texts if id_.startswith("UI-")
    ]
    families = Counter(id_.rstrip("0123456789") for id_ in ids)
    assert families == FAMILIES
    assert {f"{family}{n + 1}" for family, most in FAMILIES.items() for n in range(most)} == set(
        ids
    )


REQUIRED = {
    "S": 6, "A": 6, "J": 2, "G": 1, "H": 6, "D": 6, "C": 3, "B": 5, "X": 3, "K": 1,
}  # fmt: skip
LATER = {"W": 6, "R": 6, "O": 8}


def numbered(families: dict[str, int]) -> set[str]:
    return {f"RT-{family}{n + 1}" for family, most in families.items() for n in range(most)}


def test_the_bundled_ids_of_the_router_are_required_or_wait_for_later() -> None:
    catalogue = load_catalogue(bundled())
    required = {id_ for id_ in catalogue.texts if id_.startswith("RT-")}
    assert required == numbered(REQUIRED) | {"RT-P1", "RT-P3", "RT-P4"}
    assert catalogue.later.keys() == numbered(LATER) | {"RT-P2"}
    assert catalogue.families == ("AU-", "F-")


def test_every_text_is_one_line_of_its_own() -> None:
    catalogue = load_catalogue(bundled())
    texts = [*catalogue.texts.values(), *catalogue.later.values()]
    assert len(set(texts)) == len(texts)
    assert [text for text in texts if "\n" in text or not text.endswith(".")] == []


def test_files_of_ones_own(tmp_path: Path) -> None:
    one, other = tmp_path / "one.yaml", tmp_path / "other.yaml"
    one.write_text("# mine\nMY-1: It does.\nMY-A-2: It does not.\n")
    other.write_text("MY-3: Perhaps.\n")
    assert load_catalogue([one, other]).texts == {
        "MY-1": "It does.", "MY-A-2": "It does not.", "MY-3": "Perhaps.",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- UI-1\n", "1:1: error: a catalogue has a line for each"),
        ("# none yet\n", "1:1: error: the file is empty; a catalogue has"),
        ("my id: It does.\n", "1:1: error: `my id` is no id"),
        ("MY-1:\n", "1:6: error: `MY-1` needs a text"),
        ("MY-1: 3\n", "1:7: error: `MY-1` needs a text"),
        ("MY-1: a\nMY-1: b\n", "2:1: error: `MY-1` stands here twice"),
        ("", "1:1: error: the file is empty"),
        ("MY-1: {later: }\n", "1:15: error: `MY-1` needs a text"),
        ("MY-1: {later: 3}\n", "1:15: error: `MY-1` needs a text"),
        ("MY-1: {later: a, now: b}\n", "1:7: error: `MY-1` needs a text"),
        ("MY-1: {soon: a}\n", "1:7: error: `MY-1` needs a text"),
        ("my id: {later: a}\n", "1:1: error: `my id` is no id"),
        ("MY-1: a: b\n", "1:8: error: not YAML"),
    ],
)
def test_mistakes_at_their_places(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    with pytest.raises(ScenarioError) as caught:
        load_catalogue([file])
    assert f"{file}:{said}" in str(caught.value)


@pytest.mark.parametrize("text", ["- UI-1\n", "my id: It\n", "MY-1:\n", "", "MY-1: a: b\n"])
def test_what_a_catalogue_looks_like_is_said_with_a_mistake(tmp_path: Path, text: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    with pytest.raises(ScenarioError, match="a line for each requirement, such as `MY-1: It does"):
        load_catalogue([file])


def test_an_id_in_two_files(tmp_path: Path) -> None:
    files = [tmp_path / "a.yaml", tmp_path / "b.yaml"]
    for file in files:
        file.write_text("MY-1: It does.\n")
    with pytest.raises(ScenarioError, match=r"b.yaml:1:7: error: `MY-1` stands in another"):
        load_catalogue(files)


def test_an_unknown_id_is_told_with_its_neighbour() -> None:
    catalogue = Catalogue({"UI-Q3": "It does."})
    near = "there is no requirement `UI-QQ3`; did you mean `UI-Q3`?"
    assert catalogue.unknown("UI-QQ3") == near
    assert catalogue.unknown("ZZ-9") == "there is no requirement `ZZ-9`"
    assert [catalogue.knows(id_) for id_ in ("UI-Q3", "UI-QQ3", "ZZ-9", "")] == [True, *[False] * 3]


def test_a_family_is_known_and_not_required(tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("MY-1: It does.\nRT-*: The router.\n")
    catalogue = load_catalogue([file])
    assert list(catalogue.texts) == ["MY-1"]
    ids = ["MY-1", "RT-S2", "RT", "RTX-1", "MY-2"]
    assert [id_ for id_ in ids if catalogue.knows(id_)] == ["MY-1", "RT-S2"]


def test_what_is_asked_for_later_is_known_and_not_required(tmp_path: Path) -> None:
    files = [tmp_path / "a.yaml", tmp_path / "b.yaml"]
    files[0].write_text("MY-1: It does.\nMY-2: {later: It will.}\n")
    catalogue = load_catalogue(files[:1])
    assert (list(catalogue.texts), dict(catalogue.later)) == (["MY-1"], {"MY-2": "It will."})
    assert [catalogue.knows(id_) for id_ in ("MY-1", "MY-2", "MY-3")] == [True, True, False]
    assert "did you mean" in catalogue.unknown("MY-22")
    files[1].write_text("MY-2: It does, too.\n")
    with pytest.raises(ScenarioError, match=r"b.yaml:1:7: error: `MY-2` stands in another"):
        load_catalogue(files)
