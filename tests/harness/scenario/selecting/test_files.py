"""From named paths to scenario files."""

from __future__ import annotations

from pathlib import Path

import pytest

from windtunnel.errors import WindtunnelError
from windtunnel.scenario.selecting.files import SelectionError, bundled_root, find_scenarios


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("b.yaml", "a.yaml", "note.txt", "sub/c.yaml", ".git/hidden.yaml", "old.yml"):
        path = tmp_path / "some" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    (tmp_path / "outside.yaml").write_text("outside")
    return tmp_path


def found(*paths: str) -> list[str]:
    return [file.display for file in find_scenarios(paths).files]


def test_a_folder_is_searched_in_order() -> None:
    assert found("some") == ["some/a.yaml", "some/b.yaml", "some/sub/c.yaml"]


def test_shared_data_is_passed_over_and_taken_when_named(here: Path) -> None:
    for name in ("_shared/base.yaml", "sub/_base.yaml"):
        path = here / "some" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(name)
    assert found("some") == ["some/a.yaml", "some/b.yaml", "some/sub/c.yaml"]
    assert found("some/sub/_base.yaml", "some/_shared") == [
        "some/sub/_base.yaml",
        "some/_shared/base.yaml",
    ]


def roots(*paths: str) -> set[Path]:
    return {file.root for file in find_scenarios(paths).files}


def test_a_file_has_the_same_root_named_alone_and_found_in_a_folder(here: Path) -> None:
    assert roots("some") == roots("some/sub") == roots("some/sub/c.yaml") == {here}
    assert roots() == {bundled_root()}


def test_elsewhere_the_root_is_the_folder_named_or_the_file_s_own(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    some = here / "some"
    for elsewhere in (here / "some" / "sub", Path("/")):
        monkeypatch.chdir(elsewhere)
        assert roots(str(some)) >= {some}
        assert roots(str(some / "a.yaml")) == {some}
    monkeypatch.setenv("HOME", str(here))
    monkeypatch.chdir(here)
    assert roots("some/sub/c.yaml") == {Path("some/sub")}


def test_a_file_is_taken_whatever_its_name() -> None:
    assert found("some/old.yml", "./some/a.yaml") == ["some/old.yml", "some/a.yaml"]


def test_a_file_named_twice_is_taken_once() -> None:
    Path("same.yaml").symlink_to("some/a.yaml")
    named = ("some/a.yaml", "some", "./some/../some/a.yaml", "same.yaml")
    assert found(*named) == ["some/a.yaml", "some/b.yaml", "some/sub/c.yaml"]


def test_links_out_of_the_folder_are_not_followed() -> None:
    Path("some/out.yaml").symlink_to(Path("outside.yaml").absolute())
    Path("some/loop").symlink_to(Path("some").absolute())
    Path("some/in.yaml").symlink_to(Path("some/sub/c.yaml").absolute())
    result = find_scenarios(["some"])
    assert [file.display for file in result.files] == ["some/a.yaml", "some/b.yaml", "some/in.yaml"]
    assert sorted(result.notes) == [
        "some/loop: a link to a folder is not followed",
        "some/out.yaml: leads out of some: not followed",
    ]


def test_a_link_to_itself_is_left_to_the_reader() -> None:
    Path("some/round.yaml").symlink_to(Path("some/round.yaml").absolute())
    assert "some/round.yaml" in found("some")
    assert found("some/round.yaml") == ["some/round.yaml"]


def test_a_link_that_is_named_is_followed() -> None:
    Path("link").symlink_to("some")
    assert found("link") == ["link/a.yaml", "link/b.yaml", "link/sub/c.yaml"]


@pytest.mark.parametrize(
    "path",
    [
        *("nowhere", "nowhere.yaml", "", "../nowhere", "some/zz.yaml", "some/a.yaml/b"),
        *("x" * 300, f"some/{'x' * 300}.yaml", "a/" * 3000, "a\0b"),
    ],
)
def test_what_is_not_there_is_told(path: str) -> None:
    with pytest.raises(SelectionError, match="no such file or folder"):
        found(path)


def test_a_folder_without_scenarios_is_told() -> None:
    Path("empty").mkdir()
    with pytest.raises(SelectionError, match="'empty' holds no scenario"):
        found("some", "empty")


def test_no_path_stands_for_the_bundled_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    from_elsewhere = found()
    assert from_elsewhere
    assert all((bundled_root() / name).is_file() for name in from_elsewhere)
    monkeypatch.chdir(bundled_root().parent)
    assert found() == [f"{bundled_root().name}/{name}" for name in from_elsewhere]


def test_a_bundled_scenario_can_be_named_from_anywhere() -> None:
    one = found()[0]
    assert found(one) == [one]
    folder = one.partition("/")[0]
    assert one in found(folder)
    assert found(str(bundled_root() / one)) == [one]


def test_what_lies_here_comes_before_what_is_bundled() -> None:
    one = Path(found()[0])
    one.parent.mkdir(parents=True)
    one.write_text("mine")
    (mine,) = find_scenarios([str(one)]).files
    assert mine.path.read_text() == "mine"


def test_installed_they_lie_in_the_package(tmp_path: Path) -> None:
    package = tmp_path / "site" / "windtunnel"
    (package / "_scenarios").mkdir(parents=True)
    (tmp_path / "scenarios").mkdir()  # whatever lies beside the installation
    assert bundled_root(package) == package / "_scenarios"


def test_in_a_checkout_they_lie_beside_the_roots(tmp_path: Path) -> None:
    (tmp_path / "harness" / "windtunnel").mkdir(parents=True)
    (tmp_path / "scenarios").mkdir()
    assert bundled_root(tmp_path / "harness" / "windtunnel") == tmp_path / "scenarios"


def test_nowhere_is_told(tmp_path: Path) -> None:
    with pytest.raises(WindtunnelError, match="the bundled scenarios are missing"):
        bundled_root(tmp_path / "harness" / "windtunnel")


def test_this_checkout_has_some() -> None:
    assert any(bundled_root().rglob("*.yaml"))
