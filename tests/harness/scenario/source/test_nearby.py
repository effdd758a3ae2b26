"""Nearby: what a path in a file may lead to, and what not."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from windtunnel.scenario.source.nearby import Origin, PathError


@pytest.fixture
def origin(tmp_path: Path) -> Origin:
    root = tmp_path / "root"
    for name in ("ui/x.yaml", "ui/near.yaml", "_shared/far.yaml", ".git/config.yaml", "a.csv"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    (tmp_path / "secret.yaml").write_text("secret")
    (root / "folder.yaml").mkdir()
    return Origin(root / "ui" / "x.yaml", "shown/ui/x.yaml", root)


def refusal(origin: Origin, text: str, suffix: str = ".yaml") -> str:
    with pytest.raises(PathError) as caught:
        origin.find(text, suffix)
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("near.yaml", "shown/ui/near.yaml"),
        ("./near.yaml", "shown/ui/near.yaml"),
        ("../_shared/far.yaml", "shown/_shared/far.yaml"),
        ("../ui/../ui/near.yaml", "shown/ui/near.yaml"),
    ],
)
def test_a_path_is_relative_to_the_file_that_names_it(
    origin: Origin, text: str, shown: str
) -> None:
    found = origin.find(text, ".yaml")
    assert found.display == shown
    assert found.path.read_text() == shown.removeprefix("shown/")
    assert found.root == origin.root


def test_a_file_that_was_found_names_others_from_where_it_lies(origin: Origin) -> None:
    far = origin.find("../_shared/far.yaml", ".yaml")
    assert far.find("../ui/near.yaml", ".yaml").display == "shown/ui/near.yaml"


@pytest.mark.parametrize(
    "text", ["/etc/passwd.yaml", "~/x.yaml", "C:x.yaml", "a\\b.yaml", "", "a\nb.yaml", "a\0.yaml"]
)
def test_what_is_no_relative_path(origin: Origin, text: str) -> None:
    assert "relative to this file" in refusal(origin, text)


def test_nothing_outside_the_root(origin: Origin) -> None:
    assert "leads out of the scenario root" in refusal(origin, "../../secret.yaml")
    assert "leads out of the scenario root" in refusal(origin, "../../../etc/passwd.yaml")


def test_links_are_followed_before_the_root_is_asked(origin: Origin) -> None:
    inside, folder = origin.root / "ui" / "in.yaml", origin.root / "out"
    inside.symlink_to(origin.root / "_shared" / "far.yaml")
    folder.symlink_to(origin.root.parent, target_is_directory=True)
    (origin.root / "ui" / "out.yaml").symlink_to(origin.root.parent / "secret.yaml")
    assert origin.find("in.yaml", ".yaml").path.read_text() == "_shared/far.yaml"
    assert "leads out" in refusal(origin, "out.yaml")
    assert "leads out" in refusal(origin, "../out/secret.yaml")


def test_hidden_files_are_not_read_by_any_name(origin: Origin) -> None:
    (origin.root / "ui" / "alias.yaml").symlink_to(origin.root / ".git" / "config.yaml")
    assert "hidden" in refusal(origin, "../.git/config.yaml")
    assert "'.git': hidden" in refusal(origin, "alias.yaml")


def test_what_is_not_there_or_no_file(origin: Origin) -> None:
    assert refusal(origin, "naer.yaml").endswith("no such file; did you mean `near.yaml`?")
    assert refusal(origin, "none/at/all.yaml").endswith("there is no such file")
    assert refusal(origin, "../folder.yaml").endswith("it is no file")
    os.mkfifo(origin.root / "ui" / "pipe.yaml")
    assert refusal(origin, "pipe.yaml").endswith("it is no file")
    (origin.root / "ui" / "loop.yaml").symlink_to(origin.root / "ui" / "loop.yaml")
    assert "cannot read" in refusal(origin, "loop.yaml")


def test_the_name_says_what_it_is(origin: Origin) -> None:
    assert refusal(origin, "../a.csv").endswith("must end with .yaml")
    assert refusal(origin, "near.yaml", ".csv").endswith("must end with .csv")
    assert origin.find("../a.csv", ".csv").display == "shown/a.csv"


@given(
    st.lists(st.sampled_from(["..", ".", "a", "ui", "_shared", "far.yaml", "", "~"]), max_size=8)
)
def test_whatever_is_found_lies_below_the_root(
    tmp_path_factory: pytest.TempPathFactory, parts: list[str]
) -> None:
    root = tmp_path_factory.getbasetemp() / "nearby"
    (root / "ui").mkdir(parents=True, exist_ok=True)
    (root / "ui" / "far.yaml").write_text("x")
    try:
        found = Origin(root / "ui" / "x.yaml", "x.yaml", root).find("/".join(parts), ".yaml")
    except PathError:
        return
    assert found.path.resolve().is_relative_to(root.resolve())


@pytest.mark.parametrize("text", ["x" * 5000, "x" * 300, "a/" * 3000 + "b"])
def test_a_name_that_is_too_long(origin: Origin, text: str) -> None:
    said = refusal(origin, f"{text}.yaml")
    assert "cannot read" in said
    assert len(said) < 300


def test_links_in_a_circle(origin: Origin) -> None:
    link = origin.path.parent / "circle.yaml"
    link.symlink_to(link)
    assert "did you mean" not in refusal(origin, "circle.yaml")


def test_a_link_to_nothing(origin: Origin) -> None:
    (origin.path.parent / "loose.yaml").symlink_to("gone.yaml")
    assert refusal(origin, "loose.yaml") == "cannot read 'loose.yaml': there is no such file"
